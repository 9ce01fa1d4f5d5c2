import Foundation
import JSON
import Kanban
import TestSupport

@testable import KanbanClient

extension ReminderScenario {
    /// Runs the scenario to its end, or to the first fault.
    func run() async throws {
        for _ in 0..<(25 + random.below(25)) where faults.isEmpty {
            try await step()
            // Often within the second in which something rings.
            let pause = random.chance(3) ? random.below(2_000) : random.below(200_000)
            try await advance(to: clock.now.adding(milliseconds: Int64(pause)))
        }
        for phone in phones {
            phone.network.setAway(false)
            phone.network.setLosingReports(false)
        }
        for number in phones.indices where faults.isEmpty {
            try await sync(number)
            try await settle(number)
        }
        if faults.isEmpty { try await advance(to: clock.now.adding(milliseconds: 3_000_000)) }
        await close()
    }

    private func step() async throws {
        let number = random.below(phones.count)
        let board = phones[number].phone.board
        switch random.below(24) {
        case 0...4:
            let (due, reminders) = (due(), reminders())
            note("web: a task for \(due)")
            _ = try await server.json(
                "POST", "/tasks", ["title": "web", "dueDate": .string(due.description), "reminders": reminders])
        case 5...6:
            let due = due()
            try await web("PATCH", "", ["dueDate": .string(due.description)], "moves to \(due)")
        case 7: try await web("PATCH", "", ["title": .string("title \(random.below(100))")], "renames")
        case 8: try await web("PATCH", "", ["reminders": reminders()], "sets reminders of")
        case 9...10: try await web("POST", "/move", ["status": random.chance(3) ? "todo" : "done"], "ticks")
        case 11 where random.chance(2): try await web("DELETE", "", nil, "deletes")
        case 12 where random.chance(3):
            note("web: settings")
            _ = try await server.json("PATCH", "/settings", ["allDayTime": random.chance(2) ? "08:00" : "10:00"])
        case 13:
            let due = Date(due())
            note("phone \(number): a task for \(Timestamp(due))")
            try await board.create(
                .init(title: "phone", due: .instant(due), reminders: random.chance(2) ? nil : [.before(seconds: 300)]))
        case 14:
            guard let task = try board.tasks().current().randomElement(using: &random) else { return }
            let due = Date(due())
            note("phone \(number): moves \(task.id.description.suffix(4)) to \(Timestamp(due))")
            try await board.edit(task.id) { $0.due = .instant(due) }
        case 15:
            guard let task = try board.tasks().current().randomElement(using: &random) else { return }
            note("phone \(number): ticks \(task.id.description.suffix(4))")
            try await board.toggle(task.id)
        case 16:
            guard let task = try board.tasks().current().randomElement(using: &random) else { return }
            note("phone \(number): renames or deletes \(task.id.description.suffix(4))")
            if random.chance(3) {
                try await board.delete(task.id)
            } else {
                try await board.edit(task.id) { $0.title = "renamed" }
            }
        case 17 where random.chance(2):
            note("phone \(number): undo")
            _ = try await board.undo()
        case 18 where random.chance(2):
            let isAway = random.chance(2)
            note("phone \(number): the network is \(isAway ? "away" : "there")")
            phones[number].network.setAway(isAway)
        case 18:
            let isLosing = random.chance(2)
            note("phone \(number): answers to reports are \(isLosing ? "lost" : "there")")
            phones[number].network.setLosingReports(isLosing)
        case 19:
            note("phone \(number): a new start of the app")
            phones[number].phone = try await phones[number].phone.restarted()
            phones[number].phone.register()
        default: try await sync(number)
        }
        try await settle(number)
    }

    private func web(_ method: String, _ path: String, _ body: JSON?, _ what: String) async throws {
        guard let task = try await tasks().randomElement(using: &random)?["id"]?.stringValue else { return }
        note("web: \(what) \(task.suffix(4))")
        _ = try await server.json(method, "/tasks/\(task)\(path)", body)
    }

    /// A whole second, soon or within twenty minutes.
    private func due() -> Timestamp {
        let seconds = random.chance(4) ? 1 + random.below(3) : 1 + random.below(1_200)
        return Timestamp(milliseconds: (clock.now.milliseconds / 1_000 + Int64(seconds)) * 1_000)
    }

    private func reminders() -> JSON {
        switch random.below(6) {
        case 0: []
        case 1: ["PT0S", "-PT5M"]
        case 2: ["-PT10M"]
        case 3: ["PT0S", .string(due().description)]
        default: .null
        }
    }
}
