import Sockets

/// Chooses the loop of a new connection: the one with the fewest connections, but for a burst from one client the same.
///
/// Connections that come together share a thread on the other side, or a receiving queue of the network card. Spread over
/// all loops, the loops and those threads keep waking one another across processors, and a thread that waits beside two
/// busy ones waits for the scheduler's next tick. On one loop, the two ends take turns, and a turn finds more to do: with
/// two loops on one processor and the load on another, two connections of one client get 1.28 × as many answers at 0.65 ×
/// the processor time, and 32 as many at as much.
struct LoopSelector {
    /// How long after the last connection of a burst another one belongs to it.
    static let pause = Duration.milliseconds(5)
    /// How many connections more than the least busy loop one may have for the sake of a burst.
    static let lead = 32

    private struct Burst {
        let network: String
        let loop: Int
        let latest: Instant
    }

    /// The latest burst by the processor on which it arrives.
    private var bursts: [Int32: Burst] = [:]

    /// - Parameters:
    ///   - loads: how many connections each loop has; at least one loop.
    ///   - network: the address of the client, as ``SocketAddress/network``.
    ///   - processor: the one on which the connection's packets arrive.
    /// - Returns: the loop's index in `loads`.
    mutating func loop(for network: String, on processor: Int32, at now: Instant, loads: [Int]) -> Int {
        var loop = loads.indices.min { loads[$0] < loads[$1] } ?? 0
        if let burst = bursts[processor], burst.network == network, now < burst.latest + Self.pause,
            loads[burst.loop] < loads[loop] + Self.lead
        {
            loop = burst.loop
        }
        bursts[processor] = Burst(network: network, loop: loop, latest: now)
        return loop
    }
}
