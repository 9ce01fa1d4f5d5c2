/// The way from the top of a JSON text to one value in it, written as a URI fragment: `#/mutations/3/mutationId`
/// (RFC 6901 §6).
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    package private(set) var description: String

    /// The whole text: `#`.
    package init() { description = "#" }

    /// `["tasks", "4"]` is `#/tasks/4`.
    package init(_ names: some Sequence<String>) {
        self.init()
        for name in names { append(name) }
    }

    package func appending(_ name: String) -> JSONPointer {
        var pointer = self
        pointer.append(name)
        return pointer
    }

    package func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

    private mutating func append(_ name: String) {
        description += "/"
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): description += "~0"
            case UInt8(ascii: "/"): description += "~1"
            case _ where Self.isFragmentCharacter(byte): description.unicodeScalars.append(Unicode.Scalar(byte))
            default: description += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// RFC 3986 §3.5, without `/` and `~`, which are spoken for here.
    private static func isFragmentCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._!$&'()*+,;=:@?".utf8.contains(byte)
        }
    }
}
