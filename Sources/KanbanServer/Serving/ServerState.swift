import HTTP
import Locks
import Synchronization

/// Live values for parts that are made before the server.
final class ServerState: Sendable {
    /// Set when the server is asked to stop.
    let isDraining = Atomic(false)
    private let address = Locked("")
    private let server = Locked<Server?>(nil)

    /// The public address of the server once it listens, without a `/` at its end.
    var site: String {
        get { address.withLock { $0 } }
        set { address.withLock { $0 = newValue } }
    }

    func began(_ server: Server) {
        self.server.withLock { $0 = server }
    }

    /// Releases the server, which holds the application, which holds this.
    func ended() {
        server.withLock { $0 = nil }
    }

    var samples: [MetricsPage.Sample] {
        guard let server = server.withLock({ $0 }) else { return [] }
        return [
            .init(
                name: "kanbase_connections", kind: .gauge, help: "Open connections.",
                value: Double(server.connectionCount)),
            .init(
                name: "kanbase_streams", kind: .gauge, help: "Streamed answers that are being sent.",
                value: Double(server.streamCount)),
            .init(
                name: "kanbase_held_bytes", kind: .gauge,
                help: "Bytes of bodies being read and of answers not yet taken.",
                value: Double(server.budget.bytesHeld)),
        ]
    }
}
