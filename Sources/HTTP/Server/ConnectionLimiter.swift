import Locks
import Sockets

/// Limits the number of open connections, in all and from one address.
final class ConnectionLimiter: Sendable {
    private struct Counts {
        var total = 0
        var refused = 0
        var perAddress: [String: Int] = [:]
    }

    private let total: Int
    private let perAddress: Int?
    private let refusals: Int
    private let counts = Locked(Counts())

    init(total: Int, perAddress: Int?, refusals: Int) {
        self.total = total
        self.perAddress = perAddress
        self.refusals = refusals
    }

    /// Takes a place for one more connection of this host, if there is one.
    func enter(_ host: String) -> Bool {
        counts.withLock { counts in
            guard counts.total < total else { return false }
            if let perAddress {
                let count = counts.perAddress[host, default: 0]
                guard count < perAddress else { return false }
                counts.perAddress[host] = count + 1
            }
            counts.total += 1
            return true
        }
    }

    func leave(_ host: String) {
        counts.withLock { counts in
            counts.total -= 1
            guard let count = counts.perAddress[host] else { return }
            counts.perAddress[host] = count > 1 ? count - 1 : nil
        }
    }

    /// Takes one of the places for connections that are answered 503, until ``wasRefused()``.
    func mayRefuse() -> Bool {
        counts.withLock { counts in
            guard counts.refused < refusals else { return false }
            counts.refused += 1
            return true
        }
    }

    func wasRefused() {
        counts.withLock { $0.refused -= 1 }
    }
}
