/// A day of the proleptic Gregorian calendar, without a time zone; 0 is 1970-01-01.
package struct Day: Hashable, Comparable, Sendable {
    package var number: Int

    package init(number: Int) {
        self.number = number
    }

    package static func < (left: Day, right: Day) -> Bool {
        left.number < right.number
    }
}
