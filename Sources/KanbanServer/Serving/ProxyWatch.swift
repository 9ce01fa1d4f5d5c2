import HTTP
import KanbanAPI
import Sockets
import Synchronization

/// Warns, once, of a trusted proxy that does not name its client.
final class ProxyWatch: Sendable {
    /// What a proxy asks for itself, and a collector on the same machine.
    private static let operators: Set<String> = ["showLiveness", "showReadiness", "showMetrics"]

    private let proxies: TrustedProxies
    private let log: Log
    private let hasWarned = Atomic(false)

    init(_ proxies: TrustedProxies, log: Log) {
        self.proxies = proxies
        self.log = log
    }

    func look(at exchange: Exchange) {
        guard let request = exchange.request, proxies.hidesClient(request),
            !Self.operators.contains(exchange.operation), !hasWarned.exchange(true, ordering: .relaxed)
        else { return }
        log.warning(
            "a trusted proxy sends no X-Forwarded-For: the limits count all of its clients as one",
            ["proxy": request.peer.host])
    }
}
