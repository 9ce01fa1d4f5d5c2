import HTTP
import KanbanAPI
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
            var line = LogLine(format: log.format, bytes: bytes)
            // The sink's array moves into the line and back, so that nothing is copied.
            bytes = []
            line.begin(at: log.clock, level: .info, message: "request")
            line.add("method", exchange.request?.method.rawValue ?? "-")
            line.add("path", exchange.request.map { Self.path(of: $0.target) } ?? "-")
            line.add("status", exchange.status)
            line.add("bytes", exchange.bodyBytesSent)
            line.add("microseconds", exchange.microseconds)
            line.add("operation", exchange.operation)
            line.add("peer", exchange.request?.peer.host ?? "-")
            line.add("id", exchange.headers.last { $0.name == "X-Request-Id" }?.value ?? "-")
            line.end()
            bytes = line.bytes
        }
    }

    private static func path(of target: String) -> String {
        guard let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return target }
        return String(target[..<end])
    }
}
