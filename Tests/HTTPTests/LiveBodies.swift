import HTTP
import Locks
import Sockets

/// Says `tick` every 20 ms, at rest from the second on; every third time it produces again.
final class Ticking: LiveBody {
    private let ticker = Locked<Task<Void, Never>?>(nil)

    func produce(_ writer: any BodyWriter) async throws -> Bool {
        try await writer.write(Array("tick\n".utf8))
        return true
    }

    func rest(on connection: any LiveConnection) {
        let task = Task(executorPreference: connection.loop) {
            // Three ticks at a pace, as of a stream.
            for _ in 0..<3 {
                // Cancelled when the rest is over.
                guard (try? await connection.loop.sleep(for: .milliseconds(20))) != nil else { return }
                guard connection.writeNow(Array("tick\n".utf8)) else { break }
            }
            connection.wake()
        }
        ticker.withLock { $0 = task }
    }

    func endRest() {
        ticker.withLock { $0?.cancel() }
    }
}

/// Writes as much as the client takes.
final class Flood: LiveBody {
    func produce(_ writer: any BodyWriter) async throws -> Bool {
        while true { try await writer.write([UInt8](repeating: 0x62, count: 100_000)) }
    }

    func rest(on connection: any LiveConnection) {}
    func endRest() {}
}
