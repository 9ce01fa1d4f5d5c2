import HTTP
import Kanban
import KanbanAPI
import KanbanAccess
import Sockets

/// One line for each answered request, and one for each error that nobody foresaw.
///
/// A line tells who asked, for which path, and how it went. Of a target only the path is told: a query may hold a token
/// or the text of a task. Nothing of headers and bodies is told, but the correlation id of the answer.
struct RequestLog: Sendable {
    let log: Log

    func write(_ exchange: Exchange) {
        guard log.level <= .info else { return }
        log.sink.append { bytes in
            var line = LogLine(format: log.sink.format, bytes: bytes)
            // The sink's array moves into the line and back, so that nothing is copied.
            bytes = []
            line.begin(at: log.sink.clock, level: .info, message: "request")
            line.add("method", exchange.request?.method.rawValue ?? "-")
            line.add("path", exchange.request.map { Self.withoutTokens($0.path) } ?? "-")
            line.add("status", exchange.status)
            line.add("bytes", exchange.bodyBytesSent)
            line.add("microseconds", exchange.microseconds)
            line.add("operation", exchange.operation)
            line.add("peer", exchange.request?.peer.host ?? "-")
            line.add("id", exchange.requestID.map { Self.withoutTokens($0.text) } ?? "-")
            line.end()
            bytes = line.bytes
        }
    }

    /// Hides tokens that somebody put where ids belong.
    private static func withoutTokens(_ text: String) -> String {
        // Quickly where there is none: every request asks twice.
        guard text.utf8.contains(UInt8(ascii: "_")), text.contains(TokenSecret.prefix) else { return text }
        return text.replacing(/kb_\w+/, with: "kb_…")
    }
}
