import JSON

/// One answer as it was on the wire.
package struct Answer {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of a header; `nil` when there is none, the values with commas when there are several.
    package func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The body as JSON; null when it is none.
    package var json: JSON {
        // A body that is no JSON fails the expectation on its members.
        (try? JSON(parsing: body)) ?? .null
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package subscript(member: String) -> JSON? { json[member] }

    package func string(_ member: String) -> String? { json[member]?.stringValue }
    package func int(_ member: String) -> Int? { json[member]?.intValue }

    /// The tag of the resource, as `If-Match` wants it.
    package var tag: String { header("ETag") ?? "" }
    /// The `code` of a problem.
    package var code: String? { string("code") }
    /// The `pointer` and `code` of each fault of a 422.
    package var faults: [String] {
        (json["errors"]?.arrayValue ?? []).map {
            ($0["pointer"]?.stringValue ?? "") + " " + ($0["code"]?.stringValue ?? "")
        }
    }
    /// The members of a list.
    package var items: [JSON] { json["items"]?.arrayValue ?? [] }
}

extension Answer {
    /// Reads one answer, final ones only: a 100 on the way is skipped.
    package init(from connection: RawConnection, toHead: Bool = false) throws {
        repeat {
            guard let head = try connection.read(through: "\r\n\r\n") else {
                throw HarnessError(description: "The connection closed without an answer")
            }
            let lines = String(decoding: head.dropLast(4), as: UTF8.self).split(separator: "\r\n")
            let parts = lines[0].split(separator: " ", maxSplits: 2)
            guard parts.count >= 2, let status = Int(parts[1]) else {
                throw HarnessError(description: "No status line: \(lines[0])")
            }
            self.init(status: status)
            headers = lines.dropFirst().map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                let value = line[colon...].dropFirst().trimming(while: { $0 == " " })
                return (String(line[..<colon]), String(value))
            }
            body = []
        } while status < 200
        if toHead || status == 204 || status == 304 { return }
        if header("Transfer-Encoding")?.lowercased() == "chunked" {
            while true {
                guard let chunk = try connection.readChunk() else {
                    throw HarnessError(description: "Cut off after \(body.count) bytes of a body in chunks")
                }
                if chunk.isEmpty { return }
                body += chunk
            }
        } else if let length = header("Content-Length").flatMap({ Int($0) }) {
            body = try connection.read(count: length)
        } else {
            body = try connection.readToEnd()
        }
    }
}

extension JSON {
    package var id: String { self["id"]?.stringValue ?? "" }
    package var title: String { self["title"]?.stringValue ?? "" }
    package var revision: Int { self["revision"]?.intValue ?? -1 }
}

extension Substring {
    fileprivate func trimming(while isOuter: (Character) -> Bool) -> Substring {
        var rest = drop(while: isOuter)
        while let last = rest.last, isOuter(last) { rest.removeLast() }
        return rest
    }
}
