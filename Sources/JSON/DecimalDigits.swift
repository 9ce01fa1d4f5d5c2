extension UInt {
    /// The number of its decimal digits, 1–20.
    @inlinable package var decimalPlaces: Int {
        var places = 1
        var power: UInt = 10
        while places < 20, self >= power {
            places += 1
            power = power &* 10
        }
        return places
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes the last `count` decimal digits of `value`, without making a `String`.
    // Unsafe because the bytes are not there yet; each index is checked in the debug build.
    @inlinable package func writeDigits(_ value: UInt, _ count: Int, at offset: Int) {
        var rest = value
        var place = offset + count
        while place > offset {
            place -= 1
            self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
