import Testing

@testable import Kanban

struct IDTests {
    @Test func `an id is read in any case and written in lower case`() {
        let id = ID("0199A3C4-6B1E-7C3A-9A55-3F0D2F4F8E11")

        #expect(id?.description == "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11")
    }

    @Test(arguments: [
        "", "0199a3c4", "0199a3c46b1e7c3a9a553f0d2f4f8e11", "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e1g",
        "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e111", "{0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e1}",
        "0199a3c4-6b1e-7c3a-9a553-f0d2f4f8e11",
    ])
    func `what is no hyphenated UUID is no id`(text: String) {
        #expect(ID(text) == nil)
    }

    @Test(arguments: 0..<36)
    func `only hexadecimal digits and hyphens in their places make an id`(place: Int) {
        let text = Array("0199A3c4-6b1e-7C3a-9a55-3f0d2F4f8e11".utf8)

        let accepted = (UInt8.min...UInt8.max).filter { byte in
            var changed = text
            changed[place] = byte
            return ID(ascii: changed[...]) != nil
        }

        let digits = "0123456789ABCDEFabcdef".utf8.map(\.self)
        #expect(accepted == ([8, 13, 18, 23].contains(place) ? [UInt8(ascii: "-")] : digits))
    }

    @Test func `every digit is written as it was read`() {
        var source = SystemRandomNumberGenerator()
        for _ in 0..<1_000 {
            let id = ID(high: source.next(), low: source.next())

            let digits = [(id.high, 16), (id.low, 16)]
                .map { half, width in
                    let digits = String(half, radix: 16)
                    return String(repeating: "0", count: width - digits.count) + digits
                }
                .joined()
            #expect(id.description.filter { $0 != "-" } == digits)
            #expect(ID(id.description) == id && ID(id.description.uppercased()) == id)
        }
    }

    @Test func `an id of version 7 tells its time and its version`() {
        let id = ID(version7At: Timestamp(milliseconds: 0x0199_a3c4_6b1e), random: (.max, .max))

        #expect(id.description == "0199a3c4-6b1e-7fff-bfff-ffffffffffff")
    }

    @Test func `ids are in the order of their text`() {
        let ids = [ID(high: 1, low: .max), ID(high: 2, low: 0), ID(high: .max, low: 1)]

        #expect(ids.sorted() == ids && ids.map(\.description).sorted() == ids.map(\.description))
    }
}
