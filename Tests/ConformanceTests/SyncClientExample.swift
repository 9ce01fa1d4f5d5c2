import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The board on a device: a copy, the cursor up to which it is right, and an outbox of edits not yet sent.
/// An app writes all three to disk in one step.
actor Board {
    private var things: [String: [String: Any]] = [:]
    private var cursor: Any = NSNull()
    private var outbox: [[String: Any]] = []
    private var syncing: Task<Void, any Error>?
    /// Why the server refused edits, for the app to show. They are no longer in the outbox.
    private(set) var refused: [String] = []
    private let server: URL

    init(server: URL) { self.server = server }

    func title(of id: String) -> String? { things["task/\(id)"]?["title"] as? String }

    /// Takes an edit, with or without a network: `create`, `patch`, `move`, `delete`, `restore`.
    func edit(_ op: String, _ id: String, _ value: [String: String] = [:]) {
        let base = things["task/\(id)"]?["revision"]
        outbox.append([
            "mutationId": UUID().uuidString, "type": "task", "op": op, "id": id, "value": value,
            "baseRevision": base ?? NSNull(),
        ])
    }

    /// Sends the outbox and takes in what others did. A call while another runs joins it.
    /// After an error just call it again: nothing is applied twice.
    func sync() async throws {
        if syncing == nil { syncing = Task { try await exchange() } }
        try await syncing?.value
    }

    private func exchange() async throws {
        defer { syncing = nil }
        while true {
            let sent = outbox.prefix(500)
            let (status, answer) = try await post("sync", ["since": cursor, "mutations": Array(sent)])
            if status == 410 {  // The server was restored: start over with its copy, and with bases of no history.
                (things, cursor) = ([:], NSNull())
                for index in outbox.indices { outbox[index]["baseRevision"] = NSNull() }
                continue
            }
            guard status == 200 else { throw URLError(.badServerResponse) }  // 401: ask to log in; the outbox stays.
            outbox.removeFirst(sent.count)
            for result in answer["results"] as? [[String: Any]] ?? [] {
                guard ["rejected", "conflict"].contains(result["status"] as? String) else { continue }
                let problem = result["problem"] as? [String: Any]
                refused.append(problem?["detail"] as? String ?? "Somebody else deleted it.")
            }
            for change in answer["changes"] as? [[String: Any]] ?? [] {
                things["\(change["type"] ?? "")/\(change["id"] ?? "")"] = change["value"] as? [String: Any]
            }
            cursor = answer["cursor"] ?? NSNull()
            if answer["hasMore"] as? Bool != true, outbox.isEmpty { return }
        }
    }

    private func post(_ path: String, _ body: [String: Any]) async throws -> (Int, [String: Any]) {
        var request = URLRequest(url: server.appending(path: path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: body)
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, answer ?? [:])
    }
}
