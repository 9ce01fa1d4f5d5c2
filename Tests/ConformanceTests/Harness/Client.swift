import JSON

/// One answer as it was on the wire.
struct Answer {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    /// The value of a header; `nil` when there is none, the values with commas when there are several.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The body as JSON; null when it is none.
    var json: JSON {
        // A body that is no JSON fails the expectation on its members.
        (try? JSON(parsing: body)) ?? .null
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(member: String) -> JSON? { json[member] }

    func string(_ member: String) -> String? { json[member]?.stringValue }
    func int(_ member: String) -> Int? { json[member]?.intValue }

    /// The tag of the resource, as `If-Match` wants it.
    var tag: String { header("ETag") ?? "" }
    /// The `code` of a problem.
    var code: String? { string("code") }
    /// The `pointer` and `code` of each fault of a 422.
    var faults: [String] {
        (json["errors"]?.arrayValue ?? []).map {
            ($0["pointer"]?.stringValue ?? "") + " " + ($0["code"]?.stringValue ?? "")
        }
    }
    /// The members of a list.
    var items: [JSON] { json["items"]?.arrayValue ?? [] }
}

/// A client that keeps its connection, and makes another one after an answer that announced its end.
final class Client {
    let port: UInt16
    /// Sent with every request unless the request says otherwise.
    var headers: [String: String]
    private var connection: RawConnection?

    init(port: UInt16, headers: [String: String] = [:]) throws {
        self.port = port
        self.headers = headers
    }

    /// - Parameters:
    ///   - target: as it goes on the wire.
    ///   - headers: names as they are compared, lower case; an empty value leaves the field out.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: [UInt8]? = nil
    ) throws -> Answer {
        var fields = ["host": "localhost:\(port)"].merging(self.headers) { $1 }.merging(headers) { $1 }
        if let body { fields["content-length"] = String(body.count) }
        let lines = fields.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }
        let head = "\(method) \(target) HTTP/1.1\r\n" + lines.joined() + "\r\n"
        let bytes = Array(head.utf8) + (body ?? [])
        // Not tried again on another connection: what a server forgot to answer it may have done.
        let connection = try self.connection ?? RawConnection(port: port)
        self.connection = nil
        return try exchange(bytes, method, on: connection)
    }

    private func exchange(_ bytes: [UInt8], _ method: String, on connection: RawConnection) throws -> Answer {
        try connection.send(bytes)
        let answer = try Answer(from: connection, toHead: method == "HEAD")
        // Where several servers share a database, the next request is for any of them.
        if answer.header("Connection")?.lowercased() != "close", DataFolder.servers < 2 { self.connection = connection }
        return answer
    }
}

extension Client {
    @discardableResult
    func get(_ target: String, _ headers: [String: String] = [:]) throws -> Answer {
        try send("GET", target, headers)
    }

    @discardableResult
    func post(_ target: String, _ json: JSON? = nil, _ headers: [String: String] = [:]) throws -> Answer {
        try send("POST", target, json: json, headers)
    }

    @discardableResult
    func put(_ target: String, _ json: JSON, _ headers: [String: String] = [:]) throws -> Answer {
        try send("PUT", target, json: json, headers)
    }

    @discardableResult
    func patch(_ target: String, _ json: JSON, _ headers: [String: String] = [:]) throws -> Answer {
        try send("PATCH", target, json: json, ["content-type": "application/merge-patch+json"].merging(headers) { $1 })
    }

    @discardableResult
    func delete(_ target: String, _ headers: [String: String] = [:]) throws -> Answer {
        try send("DELETE", target, headers)
    }

    @discardableResult
    func send(_ method: String, _ target: String, json: JSON?, _ headers: [String: String] = [:]) throws -> Answer {
        guard let json else { return try send(method, target, headers) }
        return try send(
            method, target, ["content-type": "application/json"].merging(headers) { $1 }, body: json.serialized())
    }

    /// A new task; answers it.
    @discardableResult
    func makeTask(_ members: JSON = [:]) throws -> JSON {
        let answer = try post("/tasks", members)
        guard answer.status == 201 else { throw HarnessError(description: "No task: \(answer.status) \(answer.text)") }
        return answer.json
    }
}

extension Answer {
    /// Reads one answer, final ones only: a 100 on the way is skipped.
    init(from connection: RawConnection, toHead: Bool = false) throws {
        repeat {
            guard let head = try connection.read(through: "\r\n\r\n") else {
                throw HarnessError(description: "The connection closed without an answer")
            }
            let lines = String(decoding: head.dropLast(4), as: UTF8.self).split(separator: "\r\n")
            let parts = lines[0].split(separator: " ", maxSplits: 2)
            guard parts.count >= 2, let status = Int(parts[1]) else {
                throw HarnessError(description: "No status line: \(lines[0])")
            }
            self.status = status
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
                let line = try connection.read(through: "\r\n") ?? []
                let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) ?? 0
                body += try connection.read(count: size)
                _ = try connection.read(count: 2)
                if size == 0 { return }
            }
        } else if let length = header("Content-Length").flatMap({ Int($0) }) {
            body = try connection.read(count: length)
        } else {
            body = try connection.readToEnd()
        }
    }
}

extension Substring {
    fileprivate func trimming(while isOuter: (Character) -> Bool) -> Substring {
        var rest = drop(while: isOuter)
        while let last = rest.last, isOuter(last) { rest.removeLast() }
        return rest
    }
}
