import Foundation
import KanbanClient
import KanbanClientUI
import Observation

#if canImport(Glibc)
    import Glibc
#endif

// The targets of the client library: each measured against a server on loopback, and printed as a row of a table.
// Arguments: the URL of an empty server, a folder, and how many tasks (100,000 by default). `--app` measures an
// app that is opened on the folder that the others left.

let arguments = CommandLine.arguments
guard arguments.count >= 3, let server = URL(string: arguments[1]) else {
    print("Usage: ClientBench URL FOLDER [TASKS]")
    exit(64)
}
let root = URL(filePath: arguments[2])
let size = arguments.count > 3 ? Int(arguments[3]) ?? 100_000 : 100_000
let clock = ContinuousClock()

func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1_000 + Double(duration.components.attoseconds) / 1e15
}

func row(_ what: String, _ target: String, _ measured: String) {
    print("| \(what) | \(target) | \(measured) |")
    // Seen when it is measured, in a pipe, too.
    fflush(nil)
}

func time<T>(_ body: () async throws -> T) async throws -> (result: T, milliseconds: Double) {
    let start = clock.now
    let result = try await body()
    return (result, milliseconds(clock.now - start))
}

/// The middle one of several runs.
func median(of runs: Int = 15, _ body: () async throws -> Void) async throws -> Double {
    var times: [Double] = []
    for _ in 0..<runs { times.append(try await time(body).milliseconds) }
    return times.sorted()[runs / 2]
}

func text(_ milliseconds: Double) -> String {
    milliseconds >= 1_000
        ? String(format: "%.2f s", milliseconds / 1_000)
        : String(format: milliseconds < 10 ? "%.2f ms" : "%.0f ms", milliseconds)
}

/// Memory of the process in MiB; 0 where it is unknown. The field `VmRSS` is all of it, `RssAnon` is what the process
/// wrote itself, without the code and the files that it shares: what iOS counts against an app.
func memory(_ field: String) -> Double { Double(count(field, in: "/proc/self/status")) / 1_024 }

/// The number of a field in a status file of Linux; 0 where there is none.
func count(_ field: String, in file: String) -> Int {
    guard let status = try? String(contentsOfFile: file, encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("\(field):") }),
        let count = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return count
}

/// The 99th of a hundred.
func p99(_ times: [Double]) -> Double { times.sorted()[min(times.count - 1, times.count * 99 / 100)] }

func measure() async throws {
    let empty = memory("VmRSS")
    print("| What | Target | Measured |\n|---|---|---|")

    // A board of many tasks, made on one device and pushed.
    var first = try await KanbanBoard.open(at: root.appending(path: "first"), server: server)
    try await first.syncNow()
    var ids: [KanbanID] = []
    for start in stride(from: 0, to: size, by: 10_000) {
        let edits = (start..<min(start + 10_000, size)).map { number -> Edit in
            let new = NewTask(
                title: "Task \(number) 우유와 빵", body: number % 3 == 0 ? "some more words of it" : "",
                status: Status.allCases[number % 3], due: number % 2 == 0 ? .day("2026-12-24") : nil)
            ids.append(new.id)
            return .create(new)
        }
        try await first.edit(edits)
        let push = try await time { try await first.syncNow(timeout: .seconds(600)) }
        if start == 0 { row("push \(edits.count) edits, loopback", "≤ 3 s", text(push.milliseconds)) }
    }

    // Another device loads it all.
    let second = try await KanbanBoard.open(at: root.appending(path: "second"), server: server)
    let firstPage = Task { () -> Double in
        let start = clock.now
        for try await tasks in second.tasks(in: .todo, limit: 50) where !tasks.isEmpty { break }
        return milliseconds(clock.now - start)
    }
    let load = try await time { try await second.syncNow(until: .pulled, timeout: .seconds(600)) }
    row("first load of \(size) tasks, loopback", "≤ 8 s", text(load.milliseconds))
    row("first page shown", "≤ 100 ms", text(try await firstPage.value))

    // Reads.
    var opening: [Double] = []
    for _ in 0..<9 {
        await first.close()
        opening.append(
            try await time {
                first = try await KanbanBoard.open(at: root.appending(path: "first"), server: server)
                _ = try first.tasks(in: .todo, limit: 50).current()
            }.milliseconds)
    }
    row("open, to the first 50 of a column", "≤ 10 ms", text(opening.sorted()[4]))
    row(
        "page of 50", "≤ 1 ms",
        text(try await median { _ = try first.tasks(in: .doing, sort: .dueDate, limit: 50).current() }))
    row("counts", "≤ 2 ms", text(try await median { _ = try first.counts().current() }))
    row("search", "≤ 100 ms", text(try await median { _ = try first.tasks(matching: "99999", limit: 50).current() }))

    // Edits.
    var edits: [Double] = []
    var live = first.tasks(in: .todo, limit: 50).makeAsyncIterator()
    let shown = try await live.next() ?? []
    for number in 0..<300 {
        let start = clock.now
        try await first.edit(shown[number % shown.count].id) { $0.title = "Edited \(number)" }
        _ = try await live.next()
        edits.append(milliseconds(clock.now - start))
    }
    row("edit to Live's next value, durable, p99", "≤ 4 ms", text(p99(edits)))
    try await first.syncNow(timeout: .seconds(600))

    // Taking in what others did, with edits that wait.
    try await first.edit(ids.prefix(10_000).map { .replace($0, TaskDraft(title: "again", due: .day("2026-12-25"))) })
    try await first.syncNow(timeout: .seconds(600))
    for id in ids.suffix(20) { try await second.edit(id) { $0.body = "waits" } }
    let blocked = Task { () -> Double in
        var longest = 0.0
        while !Task.isCancelled {
            longest = max(longest, try await time { _ = try second.tasks(in: .done, limit: 50).current() }.milliseconds)
            await Task.yield()
        }
        return longest
    }
    let taken = try await time { try await second.syncNow(until: .pulled, timeout: .seconds(600)) }
    blocked.cancel()
    row("take in 10,000 changes, 20 pending, the server's answers included", "≤ 1 s", text(taken.milliseconds))
    row("longest read meanwhile", "≤ 5 ms", text(try await blocked.value))
    try await second.syncNow(timeout: .seconds(600))

    // Back and forth, with many edits to send.
    let undo = try await time { try await first.undo() }
    row("undo 10,000 edits of one step", "—", text(undo.milliseconds))
    let redo = try await time { try await first.redo() }
    row("redo them", "—", text(redo.milliseconds))
    try await first.syncNow(timeout: .seconds(600))
    try await second.syncNow(timeout: .seconds(600))

    // From one device to the other.
    first.start()
    second.start()
    for board in [first, second] {
        for try await status in board.status where status.phase == .live { break }
    }
    var other: [Double] = []
    var theirs = second.tasks(in: .todo, limit: 50).makeAsyncIterator()
    var last = try await theirs.next() ?? []
    for number in 0..<200 {
        let start = clock.now
        try await first.edit(last[number % 5].id) { $0.title = "Live \(number)" }
        while let tasks = try await theirs.next(), !tasks.contains(where: { $0.title == "Live \(number)" }) {}
        other.append(milliseconds(clock.now - start))
        // What follows within the pause of a burst would wait for its end.
        try await Task.sleep(for: .milliseconds(60))
    }
    last = []
    row("another device's edit to Live, loopback, p99", "≤ 50 ms", text(p99(other)))
    await first.close()
    row("memory over an empty process, after all this", "—", mebibytes(memory("VmRSS") - empty))
    await second.close()
}

/// One app in a process of its own: what it takes of the memory and of the main thread, and how often it wakes up.
@MainActor
func measureApp() async throws {
    // Once a process ran a task, a thread of libdispatch on Linux looks at the others each second, whatever the library
    // does: the busiest one now.
    await Task.detached {}.value
    let lone = WakeUps.inAMinute()
    let (empty, emptyPrivate) = (memory("VmRSS"), memory("RssAnon"))
    func memoryRow(_ when: String, _ target: String) {
        let (all, own) = (memory("VmRSS") - empty, memory("RssAnon") - emptyPrivate)
        row("memory over an empty process, \(when)", target, "\(mebibytes(own)) (\(mebibytes(all)) with code and files)")
    }
    let board = try await KanbanBoard.open(at: root.appending(path: "first"), server: server)
    let lists = Status.allCases.map { LiveList(board.tasks(in: $0, limit: 200)) }
    let status = BoardStatus(board)
    _ = try board.counts().current()
    memoryRow("\(try board.counts().current().total) tasks, three lists", "≤ 16 MiB")
    board.start()
    for try await status in board.status where status.phase == .live { break }
    memoryRow("the same, following the server", "≤ 16 MiB")

    // A view would draw in between: what is counted is the library's part of the main thread.
    var times: [Double] = []
    for number in 0..<300 {
        let (task, title) = (lists[0].items[number % 50], "App \(number)")
        let start = mainThreadTime()
        try await board.edit(task.id) { $0.title = title }
        while lists[0].items[number % 50].title != title { await changes(of: lists[0]) }
        times.append(mainThreadTime() - start)
    }
    row("main-actor time an edit, three lists following, p99", "≤ 0.5 ms", text(p99(times)))
    try await board.syncNow(timeout: .seconds(60))
    memoryRow("after 300 edits that were sent", "≤ 16 MiB")
    // What the edits left to do is done by then.
    try await Task.sleep(for: .seconds(5))
    // The threads that ran what came before end in the first minute.
    let idle = (0..<3).map { _ in WakeUps.inAMinute().but(lone.busiest) }
    row(
        "wake-ups in a minute, idle and live, the middle of three", "≤ 6",
        "\(idle.sorted()[1]); one thread of libdispatch in any process \(lone.most)")
    withExtendedLifetime((lists, status)) {}
    await board.close()
}

/// Returns when the list is about to have other items, as a view learns it.
@MainActor
func changes<Element: Sendable>(of list: LiveList<Element>) async {
    await withCheckedContinuation { continuation in
        withObservationTracking {
            _ = list.items
        } onChange: {
            continuation.resume()
        }
    }
}

/// Processor time of the calling thread in milliseconds; on the main actor that of the main thread.
func mainThreadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
}

func mebibytes(_ amount: Double) -> String { String(format: "%.0f MiB", amount) }

/// How often the threads of this process waited for something and got it.
struct WakeUps {
    /// Of all threads, those that ended included, but not of the main thread, which measures.
    private var all = 0
    /// By the numbers of the living threads.
    private var byThread: [String: Int] = [:]

    /// While the main thread sleeps for a minute.
    static func inAMinute() -> WakeUps {
        let before = WakeUps.soFar()
        usleep(60_000_000)
        var wakeUps = WakeUps.soFar()
        wakeUps.all -= before.all
        for (thread, count) in before.byThread { wakeUps.byThread[thread]? -= count }
        return wakeUps
    }

    private static func soFar() -> WakeUps {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var wakeUps = WakeUps()
        wakeUps.all = Int(usage.ru_nvcsw)
        // `try?`: what cannot be read counts to none of the threads.
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
            wakeUps.byThread[thread] = count("voluntary_ctxt_switches", in: "/proc/self/task/\(thread)/status")
        }
        wakeUps.all -= wakeUps.byThread.removeValue(forKey: "\(getpid())") ?? 0
        return wakeUps
    }

    /// The thread that woke up most often.
    var busiest: String? { byThread.max { $0.value < $1.value }?.key }

    var most: Int { byThread.values.max() ?? 0 }

    /// Of all threads but one.
    func but(_ thread: String?) -> Int { all - (thread.flatMap { byThread[$0] } ?? 0) }
}

// An app's main actor has the main thread to itself. On Linux that takes a run loop: without one, the thread ends, and the
// threads of the pool do the main actor's work in turn with their own.
Task {
    do {
        if arguments.contains("--app") { try await measureApp() } else { try await measure() }
        exit(0)
    } catch {
        print("Not measured: \(error)")
        exit(1)
    }
}
RunLoop.main.run()
