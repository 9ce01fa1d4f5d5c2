import Foundation
import JSON
import Kanban
import KanbanRows
import TestSupport
import Testing

@testable import KanbanClient

/// Three phones, the web and the server in virtual time; chance decides what they do. What should ring is computed from the tasks that
/// the server and each phone show, without the rules of either.
final class ReminderScenario {
    /// A task and an instant at which it reminds.
    struct Alarm: Hashable {
        var task: String
        var at: Timestamp
    }

    /// What the server, or a phone, shows of the tasks that are not done.
    struct View {
        /// By the identifier of the notification.
        var alarms: [String: Alarm] = [:]
        var revisions: [String: Int] = [:]

        var instants: Set<Alarm> { Set(alarms.values) }
    }

    struct Phone {
        var phone: TestPhone
        var network: RecordingNetwork
        /// How far the phone had read when it last reported to the server what it shows.
        var reported = -1
        /// The first reminder that it had no room for then, and when it last scheduled what it shows.
        var until: Timestamp?
        var end: Timestamp?
    }

    /// The state at the instant of a reminder.
    struct Expectation {
        var alarm: Alarm
        var phone: Int
        /// The revision of the task on the server; `nil` where it is not to remind.
        var revision: Int?
        /// The revision of the settings.
        var settings: Int
        /// The phone has an edit of it that the server does not know.
        var isEdited: Bool
        /// The phone knew of it when it said what it shows.
        var isReported: Bool
    }

    let seed: UInt64
    var random: SeededRandom
    let clock: TestClock
    let server: NotifyingServer
    var phones: [Phone] = []
    /// The millisecond of a second at which the server looks what is due.
    private let phase: Int64
    private var open: [Expectation] = []
    private var pushes: [(token: String, alarm: Alarm)] = []
    private var settings = 0
    var trail: [String] = []
    var faults: [String] = []

    init(seed: UInt64) async throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        clock = TestClock()
        server = try NotifyingServer(clock: clock, seed: seed)
        phase = Int64(random.below(1_000))
        for number in 0..<3 {
            let network = RecordingNetwork(to: server.local)
            let phone = try await TestPhone(UInt8(number + 1) + UInt8(seed % 60) * 3, clock: clock) {
                $0.dependencies.transport = network
            }
            if random.chance(3) { phone.center.setOthers(60 + random.below(4)) }
            phones.append(Phone(phone: phone, network: network))
            phone.register()
            try await sync(number)
        }
    }

    func note(_ what: String) { trail.append("\(clock.now) \(what)") }

    private func fault(_ what: String) {
        faults.append(what)
        note("FAULT: \(what)")
    }

    // MARK: - Phones

    func sync(_ number: Int) async throws {
        do {
            try await phones[number].phone.board.syncNow(timeout: .seconds(100_000))
        } catch KanbanError.offline {
            return
        }
        let read = try phones[number].phone.board.core.read { try $0.connection.state(.cursor) }
        phones[number].reported = read?.split(separator: "-").dropFirst().first.flatMap { Int($0) } ?? -1
        // It is unknown if the server got the report.
        if phones[number].network.isLosingReports { phones[number].reported = -1 }
        phones[number].until = try await wanted(by: number).end
        note("phone \(number) has synced up to \(phones[number].reported)")
    }

    /// Waits until the phone has scheduled what it shows, and checks that.
    func settle(_ number: Int) async throws {
        let phone = phones[number].phone
        await phone.board.reminders.update()
        let (wanted, end) = try await wanted(by: number)
        phones[number].end = end
        let scheduled = Set(phone.center.scheduled.map(Self.alarm))
        if scheduled != wanted { fault("phone \(number) has scheduled \(scheduled), and shows \(wanted)") }
    }

    /// The reminders that there is room for, and the time of the first one that is too many.
    private func wanted(by number: Int) async throws -> (alarms: Set<Alarm>, end: Timestamp?) {
        let coming = try view(of: number).instants.filter { $0.at > clock.now }
            .sorted { ($0.at, $0.task) < ($1.at, $1.task) }
        let room = Kanban.Upcoming.mostScheduled - (await phones[number].phone.center.pending().others)
        let end = coming.count > room ? coming[room].at : nil
        return (Set(coming.filter { alarm in end.map { alarm.at < $0 } ?? true }), end)
    }

    private func view(of number: Int) throws -> View {
        var view = View()
        for task in try phones[number].phone.board.tasks().current() where task.status != .done {
            let due: Timestamp? = if case .instant(let date) = task.due { Timestamp(date) } else { nil }
            let reminders = task.reminders?.map { reminder -> (String, Timestamp?) in
                switch reminder {
                case .at(let date): (Timestamp(date).description, Timestamp(date))
                case .before(_, let seconds):
                    (
                        seconds == 0 ? "PT0S" : "-PT\(seconds / 60)M",
                        due?.adding(milliseconds: -Int64(seconds) * 1_000)
                    )
                }
            }
            view.take(task.id.description, due, reminders)
        }
        return view
    }

    // MARK: - The server

    private func serverView() async throws -> View {
        var view = View()
        for task in try await tasks() where task["status"] != "done" {
            guard let id = task["id"]?.stringValue else { continue }
            let due = task["dueDate"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
            let reminders = task["reminders"]?.arrayValue?.compactMap(\.stringValue).map {
                text -> (String, Timestamp?) in
                if let instant = Timestamp(rfc3339: text) { return (text, instant) }
                let minutes = Int64(text.dropFirst(3).dropLast()) ?? 0
                return (text, due?.adding(milliseconds: text == "PT0S" ? 0 : -minutes * 60_000))
            }
            view.take(id, due, reminders)
            view.revisions[id] = task["revision"]?.intValue
        }
        settings = try await server.json("GET", "/settings")["revision"]?.intValue ?? 0
        return view
    }

    func tasks() async throws -> [JSON] {
        try await server.json("GET", "/tasks?limit=200")["items"]?.arrayValue ?? []
    }

    private func nextLook(after instant: Timestamp) -> Timestamp {
        let second = instant.milliseconds / 1_000 * 1_000
        return Timestamp(milliseconds: second + phase + (second + phase < instant.milliseconds ? 1_000 : 0))
    }

    // MARK: - Time

    /// Lets time pass, with all that rings meanwhile.
    func advance(to end: Timestamp) async throws {
        let known = try await serverView()
        let views = try phones.indices.map { try view(of: $0) }
        var instants = known.instants
        for view in views { instants.formUnion(view.instants) }
        let coming = instants.filter { $0.at > clock.now && $0.at <= end }
        for number in phones.indices {
            let edited = Set(try await phones[number].phone.board.pending().map(\.target.description))
            for alarm in coming {
                let revision = known.instants.contains(alarm) ? known.revisions[alarm.task] : nil
                open.append(
                    Expectation(
                        alarm: alarm, phone: number, revision: revision, settings: settings,
                        // An edit that the server does not know may have taken the room of another reminder.
                        isEdited: edited.contains(alarm.task)
                            || !edited.isEmpty && phones[number].end.map { alarm.at >= $0 } ?? false,
                        isReported: max(revision ?? 0, settings) <= phones[number].reported
                            && phones[number].until.map { alarm.at < $0 } ?? true))
            }
        }
        for look in Set([clock.now] + coming.map(\.at)).map({ nextLook(after: $0) }).sorted() where look <= end {
            clock.set(look)
            try await server.look()
            for push in server.takePushes() {
                guard let alarm = known.alarms[push.id], alarm.at <= look else {
                    fault("\(push.id) was pushed, and nothing is due")
                    continue
                }
                pushes.append((push.token, alarm))
            }
            check(until: look, known)
        }
        clock.set(end)
    }

    /// Compares what rang with what should have.
    private func check(until look: Timestamp, _ known: View) {
        let due = open.filter { $0.alarm.at <= look }
        open.removeAll { $0.alarm.at <= look }
        for expected in due {
            let (number, alarm) = (expected.phone, expected.alarm)
            let phone = phones[number].phone
            let local = phone.center.shown.count { Self.alarm($0.reminder) == alarm }
            let pushed = pushes.count { $0.token == phone.tokenText && $0.alarm == alarm }
            // What changed between its time and the look may ring or not, or twice.
            let revision = known.instants.contains(alarm) ? known.revisions[alarm.task] : nil
            let isSame = expected.revision == revision && expected.settings == settings
            let what = "\(alarm.task.suffix(4)) at \(alarm.at) on phone \(number)"
            if local > 1 || pushed > 1 { fault("\(what): \(local) of its own and \(pushed) pushed") }
            guard isSame else { continue }
            if local == 1, pushed == 1, expected.isReported { fault("\(what): pushed although the phone shows it") }
            if local + pushed == 0, expected.revision != nil, !expected.isEdited { fault("\(what): missing") }
            if pushed > 0, expected.revision == nil { fault("\(what): pushed after it was done") }
        }
        // What rang on a phone that does not show it as open.
        for number in phones.indices {
            let shown = phones[number].phone.center.shown.filter { $0.at > (checked[number] ?? .distantPast) }
            for ring in shown
            where !due.contains(where: { $0.phone == number && $0.alarm == Self.alarm(ring.reminder) }) {
                fault("\(ring.reminder.id) rang on phone \(number), and nothing is due")
            }
            checked[number] = look
        }
    }

    private var checked: [Int: Timestamp] = [:]

    private static func alarm(_ reminder: ScheduledReminder) -> Alarm {
        Alarm(task: reminder.task.description, at: Timestamp(reminder.fireAt))
    }

    func close() async {
        for phone in phones { await phone.phone.board.close() }
    }
}

extension ReminderScenario.View {
    /// - Parameter reminders: with their instants; `nil` is one at the due time.
    fileprivate mutating func take(_ task: String, _ due: Timestamp?, _ reminders: [(text: String, at: Timestamp?)]?) {
        for (text, at) in reminders ?? [("PT0S", due)] {
            if let at { alarms["\(task)/\(text)"] = .init(task: task, at: at) }
        }
    }
}

extension Timestamp {
    fileprivate static let distantPast = Timestamp(milliseconds: 0)
}
