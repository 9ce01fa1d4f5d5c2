import Foundation

/// One case of the wire: the bytes that a client sends, and what a server may do about them.
///
/// A case is a file of lines:
///
///     # why
///     send GET / HTTP/1.1\r\n      bytes, with \r \n \t \0 \\ \xNN and \(text*100)
///     receive                      wait for the next answer before sending on
///     half-close                   send nothing more
///     alone                        no request follows: the case is not a whole message
///     expect 400|none close        an answer's status, `2xx` and the like, or none at all;
///                                  after the last one: close, keep, or any of the two
///     head                         that answer has no body, whatever its fields say
///     field Allow: GET             that answer has the field, and its value begins like this
///     no-field Upgrade             that answer has no such field
///     body text                    that answer's body holds this
package struct WireCase: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        case receive
        case halfClose
    }

    package enum Ending: String, Sendable {
        case close, keep, any
    }

    package struct Expectation: Sendable {
        package var statuses: [String]
        package var hasNoBody = false
        package var fields: [(name: String, value: String)] = []
        package var absentFields: [String] = []
        package var body: String?

        /// - Parameter status: `nil` for no answer.
        package func allows(_ status: Int?) -> Bool {
            guard let status else { return statuses.contains("none") }
            return statuses.contains(String(status)) || statuses.contains("\(status / 100)xx")
        }
    }

    package struct Malformed: Error {
        package let file: String
        package let line: String
    }

    package let name: String
    package private(set) var why = ""
    package private(set) var steps: [Step] = []
    package private(set) var isAlone = false
    package private(set) var expectations: [Expectation] = []
    package private(set) var ending = Ending.any

    /// Every byte that is sent.
    package var bytes: [UInt8] {
        var all: [UInt8] = []
        for case .send(let bytes) in steps { all += bytes }
        return all
    }

    package init(name: String, text: String) throws {
        self.name = name
        for line in text.split(separator: "\n") {
            do { try read(String(line)) } catch is Incomprehensible { throw Malformed(file: name, line: String(line)) }
        }
        guard !expectations.isEmpty else { throw Malformed(file: name, line: "no expect") }
    }

    /// All cases of a directory, by name.
    package static func all(in directory: URL) throws -> [WireCase] {
        try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "wire" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map {
                try WireCase(
                    name: $0.deletingPathExtension().lastPathComponent, text: String(contentsOf: $0, encoding: .utf8))
            }
    }

    private struct Incomprehensible: Error {}

    private mutating func read(_ line: String) throws {
        let word = line.prefix { $0 != " " }
        let rest = String(line.dropFirst(word.count + 1))
        switch word {
        case "#": why = rest
        case "send":
            // Consecutive lines are one send.
            var bytes = try Self.unescape(rest)
            if case .send(let before)? = steps.last {
                bytes = before + bytes
                steps.removeLast()
            }
            steps.append(.send(bytes))
        case "receive": steps.append(.receive)
        case "half-close": steps.append(.halfClose)
        case "alone": isAlone = true
        case "expect":
            let words = rest.split(separator: " ")
            guard let statuses = words.first else { throw Incomprehensible() }
            expectations.append(Expectation(statuses: statuses.split(separator: "|").map(String.init)))
            if words.count > 1 {
                guard let ending = Ending(rawValue: String(words[1])) else { throw Incomprehensible() }
                self.ending = ending
            }
        default:
            guard !expectations.isEmpty else { throw Incomprehensible() }
            try readDetail(String(word), rest, of: &expectations[expectations.count - 1])
        }
    }

    private func readDetail(_ word: String, _ rest: String, of expectation: inout Expectation) throws {
        switch word {
        case "head": expectation.hasNoBody = true
        case "field":
            let parts = rest.split(separator: ":", maxSplits: 1)
            expectation.fields.append(
                (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""))
        case "no-field": expectation.absentFields.append(rest)
        case "body": expectation.body = rest
        default: throw Incomprehensible()
        }
    }

    private static func unescape(_ text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "0"): bytes.append(0)
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    throw Incomprehensible()
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "("):
                guard let star = rest.firstIndex(of: UInt8(ascii: "*")),
                    let end = rest.firstIndex(of: UInt8(ascii: ")")),
                    let count = Int(String(decoding: rest[(star + 1)..<end], as: UTF8.self))
                else { throw Incomprehensible() }
                let once = try unescape(String(decoding: rest[..<star], as: UTF8.self))
                for _ in 0..<count { bytes += once }
                rest = rest[(end + 1)...]
            default: throw Incomprehensible()
            }
        }
        return bytes
    }
}
