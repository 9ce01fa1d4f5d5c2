import Foundation
import JSON

/// A request of the library, without server and token.
struct APICall: Sendable {
    var method: String
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// How long the server may take.
    var timeout: Duration = .seconds(60)

    static func get(_ path: String, _ query: [(name: String, value: String)] = []) -> APICall {
        APICall(method: "GET", path: path, query: query)
    }

    static func post(_ path: String, _ json: JSON) -> APICall { call("POST", path, json) }

    static func put(_ path: String, _ json: JSON) -> APICall { call("PUT", path, json) }

    static func patch(_ path: String, _ json: JSON) -> APICall { call("PATCH", path, json) }

    /// - Parameter json: what some deletions need to be allowed.
    static func delete(_ path: String, _ json: JSON? = nil) -> APICall {
        json.map { call("DELETE", path, $0) } ?? APICall(method: "DELETE", path: path)
    }

    private static func call(_ method: String, _ path: String, _ json: JSON) -> APICall {
        APICall(
            method: method, path: path, headers: [("Content-Type", "application/json")], body: json.serialized())
    }
}

/// What the server answered, whatever the status.
struct APIResponse: Sendable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]
}

/// The way to a server. Requests are made as they are given; nothing is tried again here.
package protocol Transport: Sendable {
    /// - Throws: ``NetworkError`` when there is no answer.
    func send(_ request: URLRequest, timeout: Duration) async throws -> (
        status: Int, headers: [String: String], body: [UInt8]
    )

    /// The pieces of an answer without an end, as they come. Ends when the server ends it.
    /// - Parameter timeout: how long nothing may come.
    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error>
}

/// The most bytes of an answer: a page of a proxy may have no end.
private let mostBytes = 64 << 20

extension Transport {
    /// The pieces of an answer, put together.
    package func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        var head: (status: Int, headers: [String: String])?
        var body: [UInt8] = []
        try Task.checkCancellation()
        do {
            for try await piece in stream(request, timeout: timeout) {
                switch piece {
                case .head(let status, let headers): head = (status, headers)
                case .bytes(let bytes):
                    guard body.count + bytes.count <= mostBytes else { throw NetworkError() }
                    body += bytes
                }
            }
        } catch {
            // The end of the connection may come first.
            try Task.checkCancellation()
            throw error
        }
        try Task.checkCancellation()
        guard let head else { throw NetworkError() }
        return (head.status, head.headers, body)
    }
}

package enum StreamPiece: Sendable {
    /// Comes first.
    case head(status: Int, headers: [String: String])
    case bytes([UInt8])
}

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// There is no answer: no network, no server, or a connection that broke.
package struct NetworkError: Error, Hashable {
    /// No byte of the request can have reached the server: there was no connection to it.
    package let neverLeft: Bool
    /// What is wrong with the server's certificate, in numbers for a log; `nil` when that is not the reason.
    package let distrust: String?

    package init(neverLeft: Bool = false, distrust: String? = nil) {
        self.neverLeft = neverLeft
        self.distrust = distrust
    }
}

/// One server, with the token of the session that is logged in.
struct APIClient: Sendable {
    let server: URL
    let transport: any Transport
    let token: String?

    func send(_ call: APICall) async throws -> APIResponse {
        let (status, headers, body) = try await transport.send(request(call), timeout: call.timeout)
        return APIResponse(status: status, headers: headers, body: body)
    }

    func stream(_ call: APICall) -> AsyncThrowingStream<StreamPiece, any Error> {
        transport.stream(request(call), timeout: call.timeout)
    }

    private func request(_ call: APICall) -> URLRequest {
        // Put together from its parts: `appending(path:)` escapes question marks.
        var parts = URLComponents(url: server, resolvingAgainstBaseURL: false) ?? URLComponents()
        parts.percentEncodedPath = parts.percentEncodedPath.withoutTrailingSlashes + call.path
        // Those of the server's address would be refused as unknown parameters.
        parts.query = nil
        parts.fragment = nil
        if !call.query.isEmpty {
            // A plus sign would be read as a space.
            let items = call.query.map { URLQueryItem(name: $0.name, value: $0.value) }
            parts.queryItems = items
            parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%2B")
        }
        var request = URLRequest(url: parts.url ?? server)
        request.httpMethod = call.method
        for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        for (name, value) in call.headers where name == "Accept" { request.setValue(value, forHTTPHeaderField: name) }
        if let body = call.body { request.httpBody = Data(body) }
        return request
    }
}

extension String {
    var withoutTrailingSlashes: String {
        String(self[..<(lastIndex { $0 != "/" }.map { index(after: $0) } ?? startIndex)])
    }
}
