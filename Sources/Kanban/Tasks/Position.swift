/// A place in a column: a string of `0`–`9`, `A`–`Z`, `a`–`z` in byte-wise order, made only by the server.
package struct Position: Hashable, Comparable, Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }

    package static func < (left: Position, right: Position) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
