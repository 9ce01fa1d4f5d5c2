import JSON
import TestSupport

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
        if answer.header("Connection")?.lowercased() != "close", SharedServers.count < 2 {
            self.connection = connection
        }
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

    /// All items of a list, by its cursors.
    func walk(_ target: String) throws -> [JSON] {
        var (items, next) = ([JSON](), String?.some(target))
        while let page = next {
            let answer = try get(page)
            guard answer.status == 200 else { throw HarnessError(description: "\(answer.status): \(answer.text)") }
            items += answer.items
            next = answer.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
        }
        return items
    }
}
