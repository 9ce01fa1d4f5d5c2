import HTTP
import Kanban
import KanbanAPI
import KanbanAccess
import Sockets

/// One line for each answered request, and one for each unexpected error.
///
/// A line has the client, the path and the outcome. It has no query, which may contain a token or the text of a task,
/// and nothing of headers and bodies but the answer's correlation id.
struct RequestLog: Sendable {
    let log: Log
    var proxies: TrustedProxies
    private let refusals = RefusalCounts()

    init(log: Log, proxies: TrustedProxies = TrustedProxies()) {
        self.log = log
        self.proxies = proxies
    }

    func write(_ exchange: Exchange) {
        guard log.level <= (exchange.operation == CrossOrigin.preflightOperation ? .debug : .info) else { return }
        // A client over its limit sends tens of thousands a second.
        if exchange.status == 429, let client = exchange.request.map({ proxies.client(of: $0).network }) {
            guard refusals.isFirst(of: client, summary: { summarize($0, of: client) }) else { return }
        }
        log.sink.append { bytes in
            var line = LogLine(format: log.sink.format, bytes: bytes)
            // The sink's array is moved into the line and back, so that nothing is copied.
            bytes = []
            line.begin(at: log.sink.clock(), level: .info, message: "request")
            line.add("method", exchange.request?.method.rawValue ?? "-")
            line.add("path", exchange.request.map { Self.withoutTokens($0.path) } ?? "-")
            line.add("status", exchange.status)
            line.add("bytes", exchange.bodyBytesSent)
            line.add("microseconds", exchange.microseconds)
            line.add("operation", exchange.operation)
            let client = exchange.request.map(proxies.client)
            line.add("peer", client?.host ?? "-")
            if let peer = exchange.request?.peer, client != peer { line.add("proxy", peer.host) }
            line.add("id", (exchange.requestID ?? exchange.request?.id).map { Self.withoutTokens($0.text) } ?? "-")
            line.end()
            bytes = line.bytes
        }
    }

    /// Counted by client, as the limits do: behind a proxy all would have one address.
    private func summarize(_ count: Int, of client: String) {
        log.info("requests over the limit", ["peer": client, "count": "\(count)"])
    }

    /// Hides tokens that a client put into the path.
    private static func withoutTokens(_ text: String) -> String {
        // Fast for paths without one: every request asks twice.
        guard text.utf8.contains(UInt8(ascii: "_")), text.contains(TokenSecret.prefix) else { return text }
        return text.replacing(/kb_\w+/, with: "kb_…")
    }
}
