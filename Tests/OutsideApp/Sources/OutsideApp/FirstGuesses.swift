import Dispatch
import Foundation
import KanbanClient

#if canImport(Combine)
    import Combine
#endif

// What a developer who comes from Firestore or Core Data types first. Compiled, not run.

func theirAccount(_ board: KanbanBoard) async throws {
    // 1 Who is logged in.
    let account: KanbanAccount? = try board.account.current()
    print(account?.name ?? "", account?.email ?? "", account?.isEmailVerified ?? false, account?.picture as Any)
    // 2 Name, picture, address, password.
    try await board.changeName("Sun")
    try await board.changePicture(Data())
    try await board.changeEmail("sun@example.org", password: "correct-horse")
    try await board.changePassword(from: "correct-horse", to: "battery-staple")
    // 3 Reset and verification.
    try await board.requestPasswordReset(email: "sun@example.org")
    try await board.completePasswordReset(code: "code", newPassword: "battery-staple")
    try await board.requestEmailVerification()
    try await board.verifyEmail(code: "code")
    // 4 Sessions.
    for session in try await board.sessions() where !session.isCurrent { try await board.endSession(session.id) }
    // 5 Identities.
    let identity = try await board.link(provider: "apple", idToken: "…", nonce: "…")
    try await board.unlink(identity.id)
    // 6 Deletion, in both ways, and 7 a copy of everything.
    try await board.exportAccount(to: URL(filePath: "/tmp/account.json"))
    try await board.deleteAccount(password: "battery-staple")
    try await board.deleteAccount(idToken: "…", nonce: "…", authorizationCode: "…")
    // 8 Events.
    print(try await board.accountEvents().events.map(\.kind))
}

func theirErrors(_ board: KanbanBoard) async {
    do {
        try await board.signUp(email: "sun@example.org", password: "correct-horse")
    } catch {
        // 9 What a form shows, 10 and what an alert says.
        if case .emailTaken? = board.refusal(of: error) { print("taken") }
        print(error.localizedDescription)
    }
    // 11 What is wrong with a draft, before it is saved, 12 and the limit.
    for fault in NewTask(title: "").validate() { print(fault.message, fault.message(in: .ko), fault.limit ?? 0) }
    print(TaskLimits.title)
}

func theirLists(_ board: KanbanBoard, id: KanbanID) async throws {
    // 13 A live value of one task, 14 the newest first, 15 pages.
    let task: Live<KanbanTask?> = board.task(live: id)
    let newest = board.tasks(sort: .createdAt, descending: true, limit: 20)
    let second = board.tasks(sort: .createdAt, descending: true, limit: 20, offset: 20)
    for try await tasks in newest { print(tasks.count, try task.current()?.title ?? "", try second.current()) }
    // 16 A closure, on the main actor or a queue, 17 and Combine.
    let observation = await board.tasks(in: .todo).observe { print($0.count) }
    let other = board.counts().observe(on: DispatchQueue.global()) { print($0.total) }
    observation.cancel()
    other.cancel()
    #if canImport(Combine)
        let cancellable = board.tasks().publisher.receive(on: DispatchQueue.main).sink { _ in
        } receiveValue: {
            print($0)
        }
        cancellable.cancel()
    #endif
}

func theirValues(_ task: KanbanTask) throws {
    // 18 Codable, 19 a due date as a date, 20 an id of theirs.
    let copy = try JSONDecoder().decode(KanbanTask.self, from: JSONEncoder().encode(task))
    let date: Date? = copy.dueDate
    print(date as Any, Due.day(.now), Due.instant(.now).date(), KanbanID(UUID()).uuid)
    // 21 Values of their own, for previews and tests, 22 and live ones.
    let made = KanbanTask(title: "Milk", due: .day("2026-12-01"))
    let list: Live<[KanbanTask]> = .constant([made])
    let failing: Live<[KanbanTask]> = .failing(.offline)
    print(try list.current(), failing, KanbanCategory(name: "Work"), KanbanDDay(title: "Exam", date: "2026-12-24"))
}

func theirOtherThings(_ board: KanbanBoard, id: KanbanID) async throws {
    // 23 A board in memory.
    let preview = try KanbanBoard.inMemory(tasks: [.init(title: "Milk")])
    await preview.close()
    // 24 Color and emoji of D-days, 25 the picture of a category.
    let picture = try await board.add(image: Data())
    try await board.createDDay(.init(title: "Exam", date: "2026-12-24", color: "#ff0000", emoji: "📚"))
    try await board.createCategory(.init(name: "Work", image: picture))
    // 26 Tasks of another store.
    try await board.importTasks([
        NewTask(title: "old", status: .done, createdAt: .distantPast, completedAt: .now)
    ])
    // 27 Tick, 28 the trash, 29 the network: nothing to call on Apple's platforms.
    try await board.toggle(id)
    try await board.complete(id)
    for task in try board.trash().current() { try await board.restore(task.id) }
    try await board.emptyTrash()
    board.networkChanged()
    // 30 A search as people type.
    print(try board.tasks(matching: "ㅊㅅ").current())
}
