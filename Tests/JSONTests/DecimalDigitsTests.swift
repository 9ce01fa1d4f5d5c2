import Testing

@testable import JSON

struct DecimalDigitsTests {
    @Test(arguments: [
        0, 9, 10, 99, 100, 1_234_567_890, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, UInt.max,
    ])
    func `a number has its digits, all of them`(number: UInt) {
        let places = number.decimalPlaces

        let text = String(unsafeUninitializedCapacity: places) { buffer in
            buffer.writeDigits(number, places, at: 0)
            return places
        }

        #expect(text == String(number))
    }

    @Test func `fewer places take the last digits, and more of them begin with zeros`() {
        let text = String(unsafeUninitializedCapacity: 6) { buffer in
            buffer.writeDigits(2026, 2, at: 0)
            buffer.writeDigits(7, 4, at: 2)
            return 6
        }

        #expect(text == "260007")
    }
}
