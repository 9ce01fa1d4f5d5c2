import Dispatch
import Locks

/// Counts refused requests by the address of the client, so that the log has a line for the first and one a second for the others.
final class RefusalCounts: Sendable {
    /// Requests since the last line of each address.
    private let counts = Locked<[String: Int]>([:])
    private let queue = DispatchQueue(label: "kanbase.refusals", qos: .utility)
    private let pause: DispatchTimeInterval

    /// The most addresses that are counted at a time. Further ones get no line.
    private static let mostAddresses = 1_024

    /// - Parameter pause: between two lines of an address.
    init(pause: DispatchTimeInterval = .seconds(1)) {
        self.pause = pause
    }

    /// Counts a refusal.
    /// - Parameter summary: writes a line about the refusals of one second; not called when there were none.
    /// - Returns: true for the first one, which gets a line of its own.
    func isFirst(of address: String, summary: @escaping @Sendable (Int) -> Void) -> Bool {
        let isFirst = counts.withLock { counts in
            if let count = counts[address] {
                counts[address] = count + 1
                return false
            }
            guard counts.count < Self.mostAddresses else { return false }
            counts[address] = 0
            return true
        }
        if isFirst { summarizeLater(address, summary) }
        return isFirst
    }

    private func summarizeLater(_ address: String, _ summary: @escaping @Sendable (Int) -> Void) {
        queue.asyncAfter(deadline: .now() + pause) { [self] in
            let count = counts.withLock { counts in
                let count = counts[address] ?? 0
                counts[address] = count > 0 ? 0 : nil
                return count
            }
            guard count > 0 else { return }
            summary(count)
            summarizeLater(address, summary)
        }
    }
}
