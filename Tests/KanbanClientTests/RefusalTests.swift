import Foundation
import TestSupport
import Testing

@testable import KanbanClient

/// What the engine does, and the errors that calls get, when a server keeps refusing.
struct RefusalTests {
    private typealias Action = SyncMachine.Action

    @Test func `a server that knows no cursor at all is asked less and less often`() {
        var machine = SyncMachine(hasCursor: true, hasUnsent: false)
        let gone = Failure.problem(.init(status: 410, code: "cursor_expired"))
        _ = machine.handle(.started)

        #expect(machine.handle(.failed(gone)) == [.startOver, .send(.pull), .show(.loading)])
        #expect(machine.handle(.failed(gone)) == [.wait(upTo: .milliseconds(500)), .show(.waiting(gone))])
        #expect(machine.handle(.waited) == [.send(.pull), .show(.loading)])
        #expect(machine.handle(.failed(gone)) == [.wait(upTo: .milliseconds(1_000)), .show(.waiting(gone))])
        _ = machine.handle(.waited)
        // After a page, another history is started at once.
        _ = machine.handle(.answered(hasMore: true, hasUnsent: false))
        #expect(machine.handle(.failed(gone)).contains(.startOver))
    }

    @Test(arguments: [429, 507])
    func `a sync whose time ends while the server wants to be left alone says so`(status: Int) async throws {
        let device = try await TestDevice {
            // Only that time is over.
            $0.dependencies.sleep = { if $0 != .seconds(7) { try await Task.sleep(for: .seconds(86_400)) } }
        }
        device.network.answer { _, _, _ in (status, #"{"code": "busy", "requestId": "1"}"#) }
        let error = KanbanError.server(status: status, code: "busy", requestID: "1")
        await #expect(throws: error) { try await device.board.syncNow() }
        let before = device.network.requests.count

        await #expect(throws: error) { try await device.board.syncNow(timeout: .seconds(7)) }

        #expect(device.network.requests.count == before)
        await device.board.close()
    }

    @Test func `a sync without a limit may say so`() async throws {
        let server = try LocalServer()
        let device = try await TestDevice {
            $0.dependencies.transport = server
            // As in an app: the longest duration must not overflow its clock.
            $0.dependencies.sleep = { try await Task.sleep(for: $0) }
        }

        try await device.board.syncNow(timeout: .seconds(Int64.max))

        await device.board.close()
    }

    @Test func `a sync asks once more after the server wanted a log-in`() async throws {
        let server = try LocalServer()
        let network = MeddlingNetwork(to: server)
        let device = try await TestDevice.on(network)
        try await device.board.create(.init(title: "waits"))
        network.meddle { _ in .answer(401, #"{"code": "unauthorized", "requestId": "1"}"#) }
        for _ in 0..<2 { await #expect(throws: KanbanError.loggedOut) { try await device.board.syncNow() } }
        #expect(try device.board.status.current().phase == .loggedOut)
        network.meddle { _ in .none }

        try await device.board.syncNow()

        #expect(try await device.board.pending().isEmpty)
        #expect(try device.board.status.current().phase == .idle)
        await device.board.close()
    }

    @Test(
        arguments: [
            (["retry-after": "17"], 17),
            (["retry-after": "Wed, 25 Nov 2026 12:01:30 GMT", "date": "Wed, 25 Nov 2026 12:00:00 GMT"], 90),
            (["retry-after": "Wed, 25 Nov 2026 11:00:00 GMT", "date": "Wed, 25 Nov 2026 12:00:00 GMT"], 0),
            (["retry-after": "Wed, 25 Nov 2026 12:01:30 GMT"], nil), (["retry-after": "soon"], nil),
        ] as [([String: String], Int?)])
    func `a server may say when to come again as a time`(headers: [String: String], seconds: Int?) {
        let failure = Failure(APIResponse(status: 503, headers: headers, body: []))

        #expect(failure == .problem(.init(status: 503, code: "unknown", retryAfter: seconds)))
    }

    // The debug build, which tests are, has the text of a precondition, too.
    @Test(arguments: ["", "!", "0", " ", "A", "é", "a", "a00", "zzzz"])
    func `a task whose position is none gets one`(position: String) async throws {
        let server = try LocalServer()
        let (pad, network) = try await (TestDevice.on(server, seed: 2), MeddlingNetwork(to: server))
        for title in ["bad", "good"] { try await pad.board.create(.init(title: title)) }
        try await pad.board.syncNow()
        let changes = try await server.json("GET", "/changes").text
        #expect(changes.contains("\"position\":\"a0\""))
        let answer = changes.replacing("\"position\":\"a0\"", with: "\"position\":\"\(position)\"")
        network.meddle { $0 == "/changes" ? .answer(200, answer) : .none }
        let phone = try await TestDevice.on(network)

        try await phone.board.syncNow()

        try await phone.board.create(.init(title: "last"))
        try await phone.board.move(try await phone.board.create(.init(title: "first")).id, .first)
        let titles = try phone.titles()
        #expect(
            titles.first == "first" && titles.last == "last" && Set(titles.dropFirst().dropLast()) == ["bad", "good"])
    }

    @Test func `a literal that is no day stops the program with a reason`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let _: Day = "2026-02-30"
        }

        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("is no day of the calendar"))
    }

    @Test func `a name that another device took is refused at the name, as on this device`() async throws {
        let server = try LocalServer()
        let (phone, pad) = (try await TestDevice.on(server).board, try await TestDevice.on(server, seed: 2).board)
        let (x, y) = (
            try await phone.createCategory(.init(name: "x")), try await phone.createCategory(.init(name: "y"))
        )
        for board in [phone, pad] { try await board.syncNow() }
        try await phone.editCategory(x.id) { $0.name = "z" }
        try await pad.editCategory(y.id) { $0.name = "Z" }

        for board in [phone, pad] { try await board.syncNow() }

        guard case .rejected(let faults)? = try pad.issues.current().first?.kind else {
            Testing.Issue.record("not refused")
            return
        }
        #expect(faults.map(\.pointer) == ["#/name"] && faults.map(\.code) == ["name_taken"])
    }
}
