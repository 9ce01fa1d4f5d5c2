import HTTP
import Locks
import Sockets

/// Counts requests for `/metrics`.
///
/// Each event loop has its own counters, so that loops do not wait for each other; a reader adds them up.
final class Metrics: Sendable {
    /// Upper bounds of the buckets of the latency histogram, in microseconds.
    static let bounds = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000,
    ]

    struct Key: Hashable, Sendable {
        var operation: String
        var status: Int
    }

    struct Latency: Sendable {
        /// One for each of ``Metrics/bounds``, and one for slower requests; not cumulative.
        var counts = [Int](repeating: 0, count: Metrics.bounds.count + 1)
        var microseconds = 0

        var total: Int { counts.reduce(0, +) }

        mutating func add(_ microseconds: Int, _ bucket: Int) {
            counts[bucket] += 1
            self.microseconds += microseconds
        }

        static func + (left: Latency, right: Latency) -> Latency {
            Latency(
                counts: zip(left.counts, right.counts).map(+), microseconds: left.microseconds + right.microseconds)
        }
    }

    /// One look-up for a request: the key includes the status, though latencies are reported by operation.
    struct Counts: Sendable {
        var latencies: [Key: Latency] = [:]
        var bytes = 0
    }

    private let shares: [Locked<Counts>]

    init(loops: Int) {
        shares = (0...loops).map { _ in Locked(Counts()) }
    }

    func count(_ exchange: Exchange) {
        let loop = EventLoop.current.map { $0.index + 1 } ?? 0
        let microseconds = exchange.microseconds
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        shares[loop % shares.count].withLock { counts in
            let key = Key(operation: exchange.operation, status: exchange.status)
            counts.latencies[key, default: Latency()].add(microseconds, bucket)
            counts.bytes += exchange.bodyBytesSent
        }
    }

    /// The sum of all loops.
    var total: Counts {
        shares.reduce(into: Counts()) { total, share in
            let counts = share.withLock { $0 }
            total.latencies.merge(counts.latencies, uniquingKeysWith: +)
            total.bytes += counts.bytes
        }
    }
}
