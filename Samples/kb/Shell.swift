import Foundation
import KanbanClient

/// The commands. Tasks are named by the number that the last list gave them.
final class Shell {
    static let help = """
        list                      show the board
        add TITLE                 make a task
        edit N TITLE              give it another title
        due N YYYY-MM-DD          give it a due date
        move N STATUS [first]     todo, doing or done
        rm N                      put it into the trash
        undo, redo                take the last edit back, or do it again
        sync                      send and receive once
        watch [SECONDS]           follow the board; shows the progress of a first load
        login EMAIL PASSWORD      log in; what was made before comes along
        signup EMAIL PASSWORD     make an account and log in
        logout                    log out and remove the account's board from here
        conflicts                 what wants a decision
        mine N, theirs N          take one side
        retry N [TITLE]           send what the server refused, under another title
        restore N                 bring back what was deleted, with the edit
        again N                   send what a restored server lost
        dismiss N                 forget it
        status                    where the board stands with the server
        quit
        """

    private let board: KanbanBoard
    private var shown: [KanbanID] = []

    init(_ board: KanbanBoard) {
        self.board = board
    }

    func readLines() async {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.first != "quit" else { return }
            if !words.isEmpty { await run(words) }
        }
    }

    func run(_ words: [String]) async {
        do {
            try await obey(words[0], Array(words.dropFirst()))
        } catch {
            print(Self.words(for: error))
        }
    }

    private func obey(_ command: String, _ words: [String]) async throws {
        let text = words.joined(separator: " ")
        switch command {
        case "list": try list()
        case "add": print("Added \(try await board.create(.init(title: text)).title)")
        case "edit":
            let title = words.dropFirst().joined(separator: " ")
            let task = try await board.edit(try task(words)) { $0.title = title }
            print("Edited \(task.title)")
        case "due":
            guard let day = words.last.flatMap({ Day($0) }) else { return print("A date is written YYYY-MM-DD.") }
            let task = try await board.edit(try task(words)) { $0.due = .day(day) }
            print("\(task.title) is due \(day)")
        case "move":
            guard words.count > 1, let status = Status(rawValue: words[1]) else { return print("todo, doing or done?") }
            let task = try await board.move(try task(words), to: status, words.last == "first" ? .first : .last)
            print("Moved \(task.title) to \(task.status.rawValue)")
        case "rm":
            let id = try task(words)
            guard try await board.task(id)?.deletedAt == nil else { throw KanbanError.notFound }
            try await board.delete(id)
            print("Removed")
        case "undo": report(try await board.undo())
        case "redo": report(try await board.redo())
        case "sync":
            try await board.syncNow()
            print("Synced")
        case "watch": try await watch(seconds: words.first.flatMap(Double.init) ?? .infinity)
        case "login":
            guard words.count == 2 else { return print("login EMAIL PASSWORD") }
            try await board.logIn(email: words[0], password: words[1], device: "kb", guest: .add)
            print("Logged in")
        case "signup":
            guard words.count == 2 else { return print("signup EMAIL PASSWORD") }
            try await board.signUp(email: words[0], password: words[1])
            print("Signed up")
        case "logout":
            try await board.logOut()
            // Also where none was.
            print("No account is logged in here")
        case "conflicts": try conflicts()
        case "mine": try await answer(words, .mine)
        case "theirs": try await answer(words, .theirs)
        case "retry": try await retry(words)
        case "restore": try await answer(words, .restoreWithMine)
        case "again": try await answer(words, .sendAgain)
        case "dismiss": try await answer(words, .dismiss)
        case "status": print(Self.words(for: try board.status.current()))
        default: print(Self.help)
        }
    }

    // MARK: - The board

    private func list() throws {
        shown = []
        for status in Status.allCases {
            let tasks = try board.tasks(in: status).current()
            print("\(status.rawValue) (\(tasks.count))")
            for task in tasks {
                shown.append(task.id)
                let due = task.deadline(now: .now, zone: .current, language: .en).map { "  \($0.dDay)" } ?? ""
                print("  \(shown.count) \(task.title)\(due)\(task.isPending ? " *" : "")")
            }
        }
    }

    private struct UnknownNumber: Error {}

    private func task(_ words: [String]) throws -> KanbanID {
        guard let number = words.first.flatMap(Int.init), shown.indices.contains(number - 1) else {
            throw UnknownNumber()
        }
        return shown[number - 1]
    }

    /// Both the board and how it stands with the server, each time one changes.
    private func watch(seconds: Double) async throws {
        board.start()
        defer { board.pause() }
        let board = board
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await status in board.status { Self.say(Self.words(for: status)) }
                } catch {
                    print(Self.words(for: error))
                }
            }
            group.addTask {
                do {
                    for try await tasks in board.tasks() {
                        Self.say("\(tasks.count) tasks: \(tasks.prefix(5).map(\.title).joined(separator: ", "))")
                    }
                } catch {
                    print(Self.words(for: error))
                }
            }
            if seconds.isFinite {
                // Ends the watching; it is cancelled by nothing.
                group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Prints at once, also into a pipe or a file.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    // MARK: - Decisions

    private func conflicts() throws {
        let issues = try board.issues.current()
        if issues.isEmpty { print("Nothing wants a decision.") }
        for (index, issue) in issues.enumerated() {
            let details = issue.conflicts.map { "\($0.member): mine \($0.mine ?? "-"), theirs \($0.theirs ?? "-")" }
            let parts = [
                "\(index + 1)", Self.words(for: issue.kind), issue.mine?.title ?? "", details.joined(separator: "; "),
            ]
            print("  " + parts.filter { !$0.isEmpty }.joined(separator: " ") + " (\(Self.answers(to: issue.kind)))")
        }
    }

    private static func words(for kind: Issue.Kind) -> String {
        switch kind {
        case .merged: "changed twice:"
        case .deleted: "deleted elsewhere:"
        case .rejected(let faults): "refused for \(faults.map { "\($0.pointer) \($0.code)" }.joined(separator: ", ")):"
        case .restoredServer: "lost by the server:"
        }
    }

    private static func answers(to kind: Issue.Kind) -> String {
        switch kind {
        case .merged: "mine, theirs, dismiss"
        case .deleted: "restore, dismiss"
        case .rejected: "retry, dismiss"
        case .restoredServer: "again, dismiss"
        }
    }

    private func issue(_ words: [String]) throws -> Issue {
        let issues = try board.issues.current()
        guard let number = words.first.flatMap(Int.init), issues.indices.contains(number - 1) else {
            throw UnknownNumber()
        }
        return issues[number - 1]
    }

    private func answer(_ words: [String], _ answer: Issue.Answer) async throws {
        try await board.answer(try issue(words).id, answer)
        print("Decided")
    }

    private func retry(_ words: [String]) async throws {
        let issue = try issue(words)
        var draft = issue.mine ?? TaskDraft(title: "")
        if words.count > 1 { draft.title = words.dropFirst().joined(separator: " ") }
        try await board.answer(issue.id, .retry(draft))
        print("Decided")
    }

    private func report(_ outcome: UndoOutcome) {
        switch outcome {
        case .done: print("Done")
        case .partly(let conflicts): print("Partly: \(conflicts.map(\.member).joined(separator: ", ")) stays theirs")
        case .nothing: print("There is nothing")
        }
    }

    // MARK: - Words

    static func words(for status: SyncStatus) -> String {
        let phase =
            switch status.phase {
            case .idle: "not following"
            case .loading(let done, let total): "loading \(done)\(total.map { " of \($0)" } ?? "")"
            case .syncing: "syncing"
            case .live: "live"
            case .waiting(let until):
                "waiting until \(until.formatted(.iso8601))\(status.reason.map { ": \(words(for: $0))" } ?? "")"
            case .offline: "offline"
            case .loggedOut: "logged out"
            case .stopped(let error): "stopped: \(words(for: error))"
            }
        return status.pendingEdits == 0 ? phase : "\(phase), \(edits(status.pendingEdits)) to send"
    }

    static func words(for error: any Error) -> String {
        switch error {
        case is UnknownNumber: "Which one? Use a number of the last list."
        case KanbanError.invalid(let faults):
            "Refused: " + faults.map { "\($0.pointer) \($0.code)" }.joined(separator: ", ")
        case KanbanError.notFound: "It is gone."
        case KanbanError.offline: "No way to the server. Edits are kept and sent later."
        case KanbanError.server(_, "untrusted_certificate", _): "The certificate of the server is not trusted. Nothing was sent."
        case KanbanError.server(_, "not_kanbase", _): "There is no Kanbase at this address."
        case KanbanError.server(507, "quota_exceeded", _): "The account is full."
        case KanbanError.loggedOut: "The server wants a log-in."
        case KanbanError.wrongPassword: "Wrong e-mail address or password."
        case KanbanError.unsent(let count):
            "\(edits(count)) \(count == 1 ? "is" : "are") only here: sync, then decide the conflicts."
        default: "Failed: \(error)"
        }
    }

    private static func edits(_ count: Int) -> String { count == 1 ? "1 edit" : "\(count) edits" }
}
