/// Lets clients take turns, one job at a time.
///
/// Fair queueing: each job gets a virtual finish time, which is the finish of the client's last job (or now, if that is
/// later) plus its cost. The smallest runs next; when too many wait, the largest is refused. So one client with many
/// jobs cannot keep others waiting. The networks around a client's have a share each, too: the latest finish counts, so that
/// many clients of one network wait for each other before they make others wait.
package struct NetworkQueue: TurnOrder {
    package struct Client: Sendable {
        let address: String
        let cost: Int
        let isKnown: Bool

        /// - Parameters:
        ///   - address: whose share the job uses: an address, or the network of one.
        ///   - cost: how much of it.
        ///   - isKnown: true if the client has shares apart from those of strangers in its networks.
        package init(_ address: String, cost: Int = 1, isKnown: Bool = false) {
            self.address = address
            self.cost = cost
            self.isKnown = isKnown
        }
    }

    private struct Place {
        let job: WaitingJob
        let ticket: UInt64
        let shares: [String]
        let cost: Int
        /// In virtual time.
        let finish: Int
    }

    private let capacity: Int
    private var waiting: [Place] = []
    /// The finish of the last job of each share, while jobs wait.
    private var finishes: [String: Int] = [:]
    /// The start of the running job, in virtual time.
    private var now = 0
    private var isRunning = false

    /// - Parameter capacity: how many jobs may wait.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var count: Int { waiting.count }

    package func hasTurn(for client: Client) -> Bool { !isRunning }

    package mutating func add(_ job: WaitingJob, of client: Client, ticket: UInt64) -> WaitingJob? {
        let shares = Self.shares(of: client)
        let finish = shares.reduce(now) { max($0, finishes[$1] ?? 0) } + client.cost
        // Each share grows by the cost alone: one that waits for a wider one must not wait twice.
        for share in shares { finishes[share] = max(now, finishes[share] ?? 0) + client.cost }
        waiting.append(Place(job: job, ticket: ticket, shares: shares, cost: client.cost, finish: finish))
        guard waiting.count > capacity + (isRunning ? 0 : 1),
            let last = waiting.indices.max(by: { waiting[$0].finish < waiting[$1].finish })
        else { return nil }
        return remove(at: last)
    }

    package mutating func remove(_ ticket: UInt64) -> WaitingJob? {
        waiting.firstIndex { $0.ticket == ticket }.map { remove(at: $0) }
    }

    private mutating func remove(at index: Int) -> WaitingJob {
        let place = waiting.remove(at: index)
        for share in place.shares { finishes[share]? -= place.cost }
        return place.job
    }

    package mutating func removeWaiting() -> [WaitingJob] {
        let jobs = waiting.map(\.job)
        while !waiting.isEmpty { _ = remove(at: 0) }
        return jobs
    }

    package mutating func next() -> WaitingJob? {
        guard !isRunning, let first = waiting.indices.min(by: { waiting[$0].finish < waiting[$1].finish }) else {
            return nil
        }
        let place = waiting.remove(at: first)
        now = max(now, place.finish - place.cost)
        isRunning = true
        return place.job
    }

    /// The cost was known before.
    package mutating func end(_ client: Client, cost: Int) {
        isRunning = false
        if waiting.isEmpty { (finishes, now) = ([:], 0) }
    }

    /// A client with an account is known at it, too: known clients have shares like all others, so that one of them cannot keep the
    /// rest waiting.
    private static func shares(of client: Client) -> [String] {
        let shares = Self.shares(of: client.address)
        return client.isKnown ? shares.map { "known \($0)" } : shares
    }

    /// The client, and the networks around it: those of 24 and 16 bits (IPv4), or of 56, 48 and 32 bits (IPv6).
    private static func shares(of client: String) -> [String] {
        let address = client.prefix { $0 != "/" }
        guard address.contains(":") else {
            let parts = address.split(separator: ".")
            guard parts.count == 4 else { return [client] }
            return [client, parts.prefix(3).joined(separator: "."), parts.prefix(2).joined(separator: ".")]
        }
        // As ``SocketAddress/network`` writes it: four groups, or fewer before `::`.
        let left = (address.split(separator: "::", omittingEmptySubsequences: false).first ?? "").split(separator: ":")
        let groups = (left + [Substring](repeating: "0", count: max(0, 4 - left.count))).prefix(4)
        let last = groups.last.flatMap { UInt16($0, radix: 16) } ?? 0
        return [
            client, groups.prefix(3).joined(separator: ":") + ":\(last >> 8)/56",
            groups.prefix(3).joined(separator: ":") + "/48", groups.prefix(2).joined(separator: ":") + "/32",
        ]
    }
}
