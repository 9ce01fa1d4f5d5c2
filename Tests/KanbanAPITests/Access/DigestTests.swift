import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

/// The mail a day of what is due.
struct DigestTests {
    /// An account in Seoul, where it is 17:19, with a proven address.
    private func subscriber(_ board: AccessBoard, digest: String = "18:00", locale: String = "en") async throws
        -> AccessBoard.Person
    {
        let person = try await board.person("sun@example.org")
        try await board.prove(person)
        try await patch(board, person, #"{"timeZone": "Asia/Seoul", "locale": "\#(locale)", "digest": "\#(digest)"}"#)
        return person
    }

    private func patch(_ board: AccessBoard, _ person: AccessBoard.Person, _ body: String) async throws {
        let answer = await board.send(
            .patch, "/settings", body, token: person.token, headers: [("If-Match", "*")])
        try #require(answer.status == 200)
    }

    private func task(
        _ board: AccessBoard, _ person: AccessBoard.Person, _ title: String, due: String
    ) async throws {
        let answer = await board.send(
            .post, "/tasks", #"{"title": "\#(title)", "dueDate": "\#(due)"}"#, token: person.token)
        try #require(answer.status == 201)
    }

    private func look(_ board: AccessBoard) async throws -> [MailQueue.Delivery] {
        try await DigestPlanner(accounts: board.accounts, zone: .utc).queueDue()
        return try await board.newMails()
    }

    @Test func `it comes once a day at its time, with what is overdue and due in the user's zone`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Pay the rent", due: "2026-11-18")
        try await task(board, person, "Late evening", due: "2026-11-20T14:30:00Z")
        try await task(board, person, "Tomorrow in Seoul", due: "2026-11-20T15:30:00Z")

        #expect(try await look(board).isEmpty)
        board.clock.advance(seconds: 41 * 60)
        let mail = try #require(try await look(board).first)
        #expect(mail.recipient == "sun@example.org" && mail.subject == "Overdue: 1, Due today: 1")
        #expect(mail.text.contains("- Pay the rent (2026-11-18)\n"))
        #expect(mail.text.contains("- Late evening (23:30)\n"))
        #expect(!mail.text.contains("Tomorrow"))
        #expect(try await look(board).isEmpty)
        // Neither a later time of the same day nor turning it off and on makes a second.
        try await patch(board, person, #"{"digest": "18:30"}"#)
        #expect(try await look(board).isEmpty)
        board.clock.advance(seconds: 3_600)
        #expect(try await look(board).isEmpty)

        board.clock.advance(seconds: 86_400)
        #expect(try await look(board).count == 1)
    }

    @Test func `turned off and on again for a later time, it waits for that`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Overdue", due: "2026-11-18")
        #expect(try await look(board).isEmpty)
        try await patch(board, person, #"{"digest": null}"#)
        // From 17:19 to 18:19.
        board.clock.advance(seconds: 3_600)
        #expect(try await look(board).isEmpty)

        try await patch(board, person, #"{"digest": "19:00"}"#)
        #expect(try await look(board).isEmpty)
        board.clock.advance(seconds: 3_600)
        #expect(try await look(board).count == 1)
    }

    @Test(arguments: ["ko", "ja"]) func `it speaks the language of the settings`(locale: String) async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board, locale: locale)
        try await task(board, person, "집세", due: "2026-11-20")
        #expect(try await look(board).isEmpty)
        board.clock.advance(seconds: 3_600)
        let mail = try #require(try await look(board).first)
        #expect(mail.subject == (locale == "ko" ? "오늘 할 일: 1" : "今日が期限: 1") && mail.text.contains("- 집세\n"))
    }

    @Test func `it does not come when nothing is due, nor at an address that nobody proved`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Next week", due: "2026-11-27")
        let other = try await board.person("moon@example.org")
        _ = try await board.newMails()
        try await patch(board, other, #"{"timeZone": "Asia/Seoul", "digest": "18:00"}"#)
        try await task(board, other, "Overdue", due: "2026-11-18")

        _ = try await look(board)
        board.clock.advance(seconds: 3_600)
        #expect(try await look(board).isEmpty)
        // What becomes due later on the day waits for the next mail.
        try await task(board, person, "New", due: "2026-11-20")
        board.clock.advance(seconds: 3_600)
        #expect(try await look(board).isEmpty)
    }

    @Test func `one that missed its time comes later on the same day, and not on another`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Overdue", due: "2026-11-18")
        _ = try await look(board)
        board.clock.advance(seconds: 5 * 3_600)
        #expect(try await look(board).count == 1)
        // From 22:19 over 18:00 of the next day to 3:19 of the day after.
        board.clock.advance(seconds: 29 * 3_600)
        #expect(try await look(board).isEmpty)
    }

    @Test func `that of today comes also when the server was away at the time of yesterday's`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Overdue", due: "2026-11-18")
        _ = try await look(board)
        // To 19:19 of the next day.
        board.clock.advance(seconds: 26 * 3_600)
        #expect(try await look(board).count == 1)
        #expect(try await look(board).isEmpty)
    }

    @Test func `turned on again on another day after its time, it waits for the next`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Overdue", due: "2026-11-18")
        _ = try await look(board)
        try await patch(board, person, #"{"digest": null}"#)
        board.clock.advance(seconds: 26 * 3_600)
        try await patch(board, person, #"{"digest": "18:00"}"#)
        #expect(try await look(board).isEmpty)
        board.clock.advance(seconds: 86_400)
        #expect(try await look(board).count == 1)
    }

    @Test func `it counts among the mails of an hour, and comes when there is room again`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board, digest: "17:20")
        try await task(board, person, "Overdue", due: "2026-11-18")
        _ = try await look(board)
        for _ in 0..<3 { await board.send(.post, "/password-resets", #"{"email": "sun@example.org"}"#) }
        board.clock.advance(seconds: 60)
        #expect(try await look(board).filter { $0.unsubscribe != nil }.isEmpty)
        board.clock.advance(seconds: 3_600)
        #expect(try await look(board).filter { $0.unsubscribe != nil }.count == 1)
    }

    @Test func `put off, it comes though another setting is changed`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board, digest: "17:20")
        try await task(board, person, "Overdue", due: "2026-11-18")
        _ = try await look(board)
        for _ in 0..<3 { await board.send(.post, "/password-resets", #"{"email": "sun@example.org"}"#) }
        board.clock.advance(seconds: 60)
        _ = try await look(board)
        board.clock.advance(seconds: 300)
        try await patch(board, person, #"{"custom": {"theme": "dark"}}"#)
        #expect(try await look(board).filter { $0.unsubscribe != nil }.isEmpty)
        board.clock.advance(seconds: 3_600)
        #expect(try await look(board).filter { $0.unsubscribe != nil }.count == 1)
    }

    @Test func `one click ends it, as often as it is sent, and a look at the link does not`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Overdue", due: "2026-11-18")
        _ = try await look(board)
        board.clock.advance(seconds: 3_600)
        let mail = try #require(try await look(board).first)
        let link = try #require(mail.unsubscribe)
        #expect(link.hasPrefix("https://kanbase.example.org/digest/end?code=") && !mail.text.contains(link))
        let target = String(link.dropFirst("https://kanbase.example.org".count))
        func digest() async -> JSON? { await board.send(.get, "/settings", token: person.token).json["digest"] }

        let page = await board.send(.get, target)
        #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("<form method=\"post\">"))
        #expect(await digest() == .string("18:00"))
        #expect(await board.send(.post, "/digest/end?code=\(String(repeating: "a", count: 32))").code != nil)
        #expect(await board.send(.post, "/digest/end").faults == ["#/code code_invalid"])
        #expect(await digest() == .string("18:00"))

        // Parameters are added to links in mails on their way.
        #expect(await board.send(.get, "\(target)&utm_source=mail").status == 200)
        for added in ["", "&utm_source=mail&utm_source=mail"] {
            let answer = await board.send(
                .post, target + added, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                bytes: Array("List-Unsubscribe=One-Click".utf8))
            #expect(answer.status == 200)
            #expect(await digest() == .null)
        }
        board.clock.advance(seconds: 86_400)
        #expect(try await look(board).isEmpty)
    }

    @Test func `a mail that waits for its server is not sent on another day`() async throws {
        let board = try AccessBoard()
        let person = try await subscriber(board)
        try await task(board, person, "Overdue", due: "2026-11-18")
        _ = try await look(board)
        board.clock.advance(seconds: 3_600)
        try await DigestPlanner(accounts: board.accounts, zone: .utc).queueDue()
        board.clock.advance(seconds: 6 * 3_600)
        #expect(try await board.newMails().isEmpty)
    }
}
