import Foundation
import Kanban
import KanbanWire
import TestSupport
import Testing

@testable import KanbanClient

/// What an app shows without writing a sentence of its own.
struct WordsTests {
    private typealias Fault = KanbanClient.Fault
    private static let languages: [KanbanClient.Language] = [.en, .ko, .ja]

    private static let errors: [KanbanError] = [
        .invalid([]), .invalid([Fault(pointer: "#/title", code: "blank")]), .notFound, .conflict(nil), .offline,
        .loggedOut, .forbidden("insufficient_scope"), .tooOld, .newerData, .full, .closed, .deleted,
        .openedForReading, .damaged, .storage("Something else."), .unsent(1), .unsent(2),
        .server(status: 0, code: "not_understood", requestID: nil),
        .server(status: 418, code: "teapot", requestID: nil),
        .server(status: 500, code: "internal_error", requestID: nil),
        .server(status: 507, code: "quota_exceeded", requestID: nil),
        .server(status: 507, code: "insufficient_storage", requestID: nil), .wrongPassword, .timedOut, .notKanbase,
        .guestData(.init()), .guestData(.init(byStatus: [.todo: 2])),
    ]

    private static let refusals: [(AccountRefusal, KanbanError)] = [
        (.wrongPassword, .wrongPassword), (.tooManyRequests(until: nil), .server(429, "too_many_requests")),
        (.emailTaken, .server(409, "email_taken")), (.linkRequired, .server(409, "link_required")),
        (.identityTaken, .server(409, "identity_taken")), (.lastWayIn, .server(409, "last_way_in")),
        (.otherAccount, .forbidden("other_account")), (.freshSessionRequired, .forbidden("fresh_session_required")),
        (.codeInvalid, .invalid([Fault(pointer: "#/code", code: "code_invalid")])),
        (.tokenInvalid, .server(401, "token_invalid")),
        (.unknownProvider, .invalid([Fault(pointer: "#/provider", code: "unknown_provider")])),
        (.signUpClosed, .forbidden("signup_closed")), (.invitationRequired, .forbidden("invitation_required")),
        (.invitationUsed, .forbidden("invitation_used")), (.accountLocked, .forbidden("account_locked")),
        (.accountDisabled, .forbidden("account_disabled")), (.accountsOff, .forbidden("accounts_off")),
        (.mailOff, .server(404, "mail_off")), (.sessionRequired, .forbidden("session_required")),
    ]

    /// Korean has Hangul, Japanese has kana, and English neither.
    private func expectWords(
        _ message: (KanbanClient.Language) -> String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let words = Self.languages.map(message)
        #expect(Set(words).count == 3, sourceLocation: sourceLocation)
        let (hangul, kana) = (UInt32(0xAC00)...0xD7A3, UInt32(0x3041)...0x30FF)
        func has(_ text: String, _ scalars: ClosedRange<UInt32>) -> Bool {
            text.unicodeScalars.contains { scalars.contains($0.value) }
        }
        #expect(!has(words[0], hangul) && !has(words[0], kana), "\(words[0])", sourceLocation: sourceLocation)
        #expect(has(words[1], hangul) && !has(words[1], kana), "\(words[1])", sourceLocation: sourceLocation)
        #expect(has(words[2], kana) && !has(words[2], hangul), "\(words[2])", sourceLocation: sourceLocation)
    }

    @Test(arguments: errors) func `every error has a sentence in each language`(error: KanbanError) {
        expectWords(error.message(in:))
        #expect(error.localizedDescription == error.message(in: .preferred))
    }

    @Test(arguments: refusals) func `every refusal is known by its error, and has the same sentence`(
        refusal: AccountRefusal, error: KanbanError
    ) async throws {
        let board = try await TestDevice().board
        expectWords(refusal.message(in:))
        #expect(board.refusal(of: error) == refusal)
        for language in Self.languages { #expect(error.message(in: language) == refusal.message(in: language)) }
        await board.close()
    }

    @Test func `what a guest made without a task is not counted in tasks`() {
        #expect(
            KanbanError.guestData(.init()).message(in: .en)
                == "Categories or D-days were made without an account: add or discard them.")
        #expect(
            KanbanError.guestData(.init(byStatus: [.done: 1])).message(in: .en)
                == "1 task was made without an account: add or discard them.")
    }

    @Test func `an account is not called emptier by a deletion that it still counts`() {
        let fault = Fault(pointer: "#", code: "quota_exceeded").message(in: .en)
        #expect(fault == KanbanError.server(507, "quota_exceeded").message(in: .en))
        #expect(fault.contains("Deleted tasks count until they leave the trash."))
    }

    @Test func `a wait has its time in words`() {
        let soon = AccountRefusal.tooManyRequests(until: Date.now.addingTimeInterval(-5))
        #expect(soon.message(in: .en) == "Too many attempts. Try again in 1 second.")
        let later = AccountRefusal.tooManyRequests(until: Date.now.addingTimeInterval(3_599))
        #expect(later.message(in: .en) == "Too many attempts. Try again in 60 minutes.")
        #expect(later.message(in: .ko) == "시도가 너무 많습니다. 60분 뒤에 다시 시도하세요.")
        expectWords(AccountRefusal.tooManyRequests(until: Date.now.addingTimeInterval(30)).message(in:))
    }

    @Test func `the codes of all faults of the rules have words for each member`() {
        let members = ["title", "body", "dueDate", "date", "name", "categoryName", "color", "emoji", "image", "email"]
        for code in Kanban.Fault.Code.allCases {
            for member in members { expectWords(Fault(pointer: "#/\(member)", code: code.rawValue).message(in:)) }
        }
        for (pointer, code) in [
            ("#/server", "not_found"), ("#/server", "invalid_format"), ("#/file", "damaged"), ("#", "quota_exceeded"),
            ("#", "invalid_format"), ("#", "too_long"), ("#/name", "name_taken"), ("#/settings/custom", "too_long"),
        ] { expectWords(Fault(pointer: pointer, code: code).message(in:)) }
    }

    @Test func `limits are those of the rules`() {
        #expect(TaskLimits.title == 200 && TaskLimits.body == 1_000)
        #expect(CategoryLimits.name == 50 && CategoryLimits.count == 500)
        #expect(DDayLimits.title == 100 && DDayLimits.count == 1_000)
        #expect(AccountLimits.name == 100 && AccountLimits.password == 8...256)
        #expect(SettingsLimits.custom == 16_384 && ImageLimits.bytes == 1_048_576)
    }

    private static func long(_ count: Int) -> String { String(repeating: "가", count: count) }

    @Test func `a draft tells its faults with words, and saves nothing`() async throws {
        #expect(NewTask().validate().isEmpty)
        #expect(TaskDraft(title: Self.long(200), body: Self.long(1_000)).validate().isEmpty)
        let task = TaskDraft(
            title: Self.long(201), body: Self.long(1_001), due: .instant(.distantFuture.addingTimeInterval(1e15)),
            category: .named(" "))
        #expect(
            task.validate() == [
                Fault(pointer: "#/title", code: "too_long"), Fault(pointer: "#/body", code: "too_long"),
                Fault(pointer: "#/categoryName", code: "blank"), Fault(pointer: "#/dueDate", code: "invalid_format"),
            ])
        #expect(
            task.validate().message(in: .ko)
                == "제목은 200자까지 쓸 수 있습니다. 내용은 1000자까지 쓸 수 있습니다. 분류 이름은 비워 둘 수 없습니다. 마감일은 달력에 없는 날짜입니다.")
        #expect(
            NewTask(title: " \u{200b}", category: .named(Self.long(51))).validate().map { $0.message(in: .en) } == [
                "The title must not be empty.", "The name of the category may have at most 50 characters.",
            ])

        #expect(NewCategory(name: "Home", color: "#3366ff", emoji: "🏠").validate().isEmpty)
        #expect(
            NewCategory(name: Self.long(51), color: "blue", emoji: "ab").validate().map { $0.message(in: .ja) } == [
                "名前は50文字までです。", "色は#3366ffのように書いてください。", "絵文字は1つの絵文字にしてください。",
            ])
        #expect(NewDDay(title: "시험", date: "2026-11-19").validate().isEmpty)
        #expect(
            DDayDraft(title: Self.long(101), date: "2026-11-19").validate().map { $0.message(in: .en) }
                == ["The title may have at most 100 characters."])
        #expect(SettingsDraft(timeZone: "Asia/Seoul", locale: "ko").validate().isEmpty)
        #expect(
            SettingsDraft(timeZone: "Mars", locale: "xx", custom: ["a": Self.long(20_000)]).validate()
                .map(\.pointer) == ["#/timeZone", "#/locale", "#/custom"])
    }

    @Test func `an edit that is refused tells the same words as its draft`() async throws {
        let board = try await TestDevice().board
        let new = NewTask(title: Self.long(201), category: .named(Self.long(51)))
        let task = try await #require(throws: KanbanError.self) { try await board.create(new) }
        #expect(task.message(in: .ko) == new.validate().message(in: .ko))
        let plain = try await #require(throws: KanbanError.self) {
            try await board.create(.init(title: Self.long(201)))
        }
        #expect(plain.message(in: .en) == "The title may have at most 200 characters.")
        let dday = try await #require(throws: KanbanError.self) {
            try await board.createDDay(.init(title: Self.long(101), date: "2026-01-01"))
        }
        #expect(dday.message(in: .en) == "The title may have at most 100 characters.")
        #expect(try await board.pending().isEmpty)
        // One of no single member names its kind.
        let whole = Fault(pointer: "#", code: "invalid_value", of: .task)
        #expect(whole.message(in: .en) == "The task is not allowed: invalid_value.")
        #expect(Fault(pointer: "#", code: "already_exists", of: .dday).message(in: .ko) == "같은 ID의 항목이 이미 있습니다.")
        #expect(
            Fault(pointer: "#/reminders/0", code: "invalid_reminder").message(in: .en)
                == "A task has at most 5 reminders, each at most 30 days before.")
        // Of a fault that came without its resource nothing is claimed.
        #expect(Fault(pointer: "#/title", code: "too_long").message(in: .en) == "The title is too long.")
        #expect(Fault(pointer: "#/title", code: "too_long").limit == nil)
        await board.close()
    }
}

extension KanbanError {
    fileprivate static func server(_ status: Int, _ code: String) -> KanbanError {
        .server(status: status, code: code, requestID: nil)
    }
}
