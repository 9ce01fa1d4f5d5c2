import KanbanAPI
import KanbanAccess
import Locks

/// Logs and counts what comes in Apple's name: nothing else shows whether Apple's notifications arrive.
final class AppleNotes: Sendable {
    private let log: Log
    private let counts = Locked<[String: Int]>([:])

    /// The values of the label, of which each is there from the start.
    private static let results =
        AppleNotification.Event.allCases.map(\.rawValue) + ["other", "repeated", "refused"]

    init(log: Log) {
        self.log = log
    }

    func take(_ note: AppleNote) {
        let result: String
        switch note {
        case .taken(let event, let outcome):
            let name = event?.rawValue ?? "other"
            result = outcome == .repeated ? "repeated" : name
            log.info("a notification of Apple", ["event": name, "outcome": outcome.rawValue])
        case .refused(let reason):
            result = "refused"
            log.warning("a notification in Apple's name was refused", ["reason": reason])
        }
        counts.withLock { $0[result, default: 0] += 1 }
    }

    var samples: [MetricsPage.Sample] {
        let counts = counts.withLock { $0 }
        return Self.results.map { result in
            .init(
                name: "kanbase_apple_notifications_total", kind: .counter,
                help: "Notifications in Apple's name, by event, and those that came before or were refused.",
                labels: #"{result="\#(result)"}"#, value: Double(counts[result] ?? 0))
        }
    }
}
