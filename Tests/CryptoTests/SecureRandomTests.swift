import Crypto
import Testing

struct SecureRandomTests {
    @Test func `no two draws are alike`() {
        let draws = Set((0..<1000).map { _ in SecureRandom.bytes(20) })

        #expect(draws.count == 1000)
        #expect(draws.allSatisfy { $0.count == 20 })
        #expect(Set((0..<1000).map { _ in SecureRandom.uint64() }).count == 1000)
    }

    @Test func `drawing nothing gives nothing`() {
        #expect(SecureRandom.bytes(0).isEmpty)
    }

    @Test func `comparing finds a difference at either end and in length`() {
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([0, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(ConstantTime.equal([], []))
    }
}
