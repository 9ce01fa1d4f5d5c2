import HTTP
import KanbanAPI
import Sockets

extension Configuration {
    /// Connections of the tools that collect metrics.
    private static let metricsConnections = 16

    /// A server of `/metrics` alone, without a token: every client that reaches its address can read the metrics. `nil`
    /// without `--metrics`.
    func metricsServer(
        _ page: MetricsPage, _ environment: Environment, observer: Observer, on loops: EventLoopGroup
    ) -> (server: Server, address: SocketAddress)? {
        guard let metrics else { return nil }
        var limits = Limits()
        limits.connections = Self.metricsConnections
        limits.refusedAtOnce = Self.metricsConnections
        limits.heldBytes = 4 << 20
        limits.heldBytesPerClient = 4 << 20
        // No web page may reach in, as in open mode.
        let gate = OpenGate(requiresLoopbackHost: metrics.isLoopback)
        let application = Application(
            environment: environment, gate: gate, routes: [page.route], observer: observer)
        return (Server(group: loops, limits: limits, responder: application), metrics)
    }

    /// Descriptors that it needs.
    var metricsDescriptors: Int { metrics == nil ? 0 : 2 * Self.metricsConnections + 1 }
}
