import Testing

@testable import HTTP

struct RequestIDTests {
    @Test(arguments: [0, 1, 31, 32, 0x1234_5678_9abc_def0, UInt64.max])
    func `a number is shown in thirteen digits of five bits`(number: UInt64) {
        let digits = Array("0123456789abcdefghijklmnopqrstuv")

        let text = String((0..<13).map { digits[Int(number >> UInt64($0 * 5) & 31)] })

        #expect(RequestID.number(number).text == text)
        var output = ByteBuffer()
        output.reserve(64, from: BlockPool(blockSize: 64))
        output.append(RequestID.number(number))
        #expect(String(decoding: output.unread, as: UTF8.self) == text)
    }

    @Test(arguments: [("abc-1.2_3", true), ("a b", false), ("", false), (String(repeating: "a", count: 129), false)])
    func `the client's is taken when it is well-formed`(given: String, isTaken: Bool) {
        let request = Request(method: .get, target: "/", headers: Headers([("X-Request-Id", given)]))

        #expect((request.id.text == given) == isTaken)
        #expect(!request.id.text.isEmpty)
    }

    @Test func `no two of a process are the same`() {
        var connections = [RequestNumbers](repeating: RequestNumbers(), count: 10)
        var numbers: Set<UInt64> = []
        for _ in 0..<1_000 {
            for index in connections.indices { numbers.insert(connections[index].next()) }
        }

        #expect(numbers.count == 10_000)
        #expect(Set((0..<1_000).map { _ in RequestID.new().text }).count == 1_000)
    }
}
