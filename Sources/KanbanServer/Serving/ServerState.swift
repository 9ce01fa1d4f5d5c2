import HTTP
import Locks
import Sockets
import Synchronization

/// Live values for parts that are made before the server.
final class ServerState: Sendable {
    /// Set when the server is asked to stop.
    let isDraining = Atomic(false)
    private let address = Locked("")
    private let server = Locked<Server?>(nil)
    private let meter: LoopMeter?

    init(meter: LoopMeter? = nil) {
        self.meter = meter
    }

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
        ] + (meter?.samples ?? [])
    }
}

extension LoopMeter {
    fileprivate var samples: [MetricsPage.Sample] {
        [
            .init(
                name: "kanbase_loop_longest_seconds", kind: .gauge,
                help: "The longest time that one event, job or call blocked an event loop.",
                value: longest / .seconds(1)),
            .init(
                name: "kanbase_loop_longest_processor_seconds", kind: .gauge,
                help: "The same in time of the processor.", value: longestOfProcessor / .seconds(1)),
        ]
    }
}
