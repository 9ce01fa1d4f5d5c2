import Locks
import Sockets

/// Limits the number of open connections, in all and from one address.
///
/// When all places are taken, a connection of any other network takes that of an idle one of the network that has most: so
/// nobody can keep everybody out by opening connections and saying nothing.
final class ConnectionLimiter: Sendable {
    enum Entry: Equatable {
        case admitted
        /// Admitted beyond the limit: the longest idle connection of this network has to go.
        case instead(of: String)
        case refused
    }

    /// The most connections beyond the limit, while those that make room for them end.
    private static let mostBeyond = 64
    /// With more networks than this none has many connections.
    private static let mostNetworks = 1_024

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
    /// - Parameter isShared: true if many clients come from this host, whose connections have no limit of their own.
    func enter(_ host: String, isShared: Bool = false) -> Entry {
        counts.withLock { counts in
            let count = counts.perAddress[host, default: 0]
            if let perAddress, !isShared, count >= perAddress { return .refused }
            var entry = Entry.admitted
            if counts.total >= total {
                guard counts.total < total + Self.mostBeyond, counts.perAddress.count <= Self.mostNetworks,
                    let crowd = counts.perAddress.max(by: { $0.value < $1.value }), crowd.value > count + 1
                else { return .refused }
                entry = .instead(of: crowd.key)
            }
            counts.perAddress[host] = count + 1
            counts.total += 1
            return entry
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
