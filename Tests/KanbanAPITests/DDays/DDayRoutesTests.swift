import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

struct DDayRoutesTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard(zone: "Asia/Seoul")
    }

    @Test func `a D-day is made, shown, changed and deleted`() async throws {
        let made = await board.send(
            .post, "/ddays", ##"{"title": "수능", "date": "2026-11-23", "color": "#ff8800", "emoji": "📚"}"##)
        #expect(
            made.status == 201 && made.header("Location") == "/ddays/\(made.json.id)" && made.header("ETag") == "\"1\"")
        #expect(made.json["repeats"] == "none" && made.json["date"] == "2026-11-23")

        let path = "/ddays/\(made.json.id)"
        #expect(await board.send(.get, path).body == made.body)
        let changed = await board.send(.patch, path, #"{"title": "시험", "color": null}"#)
        #expect(changed.status == 200 && changed.json["title"] == "시험" && changed.json["color"] == .null)
        #expect(changed.json["emoji"] == "📚" && changed.json.revision == 2)
        #expect(await board.send(.patch, path, "{}").json.revision == 2)

        let replaced = await board.send(.put, path, #"{"title": "시험", "date": "2026-12-01", "repeats": "yearly"}"#)
        #expect(replaced.status == 200 && replaced.json["emoji"] == .null && replaced.json["repeats"] == "yearly")
        #expect(await board.send(.put, path, String(decoding: replaced.body, as: UTF8.self)).json.revision == 3)

        #expect(await board.send(.delete, path).status == 204)
        #expect(await board.send(.delete, path).status == 404)
        let gone = await board.send(.get, path)
        #expect(gone.code == "not_found" && gone.json["detail"] == "There is no D-day with this id, or it was deleted.")
        let deleted = await board.send(.put, path, #"{"title": "x", "date": "2026-12-01"}"#)
        #expect(deleted.code == "deleted")
        #expect(deleted.json["detail"]?.stringValue?.hasPrefix("The D-day with this id was deleted. ") == true)
        #expect(await board.send(.get, "/ddays?deleted=true").json["items"]?.arrayValue?.map(\.id) == [made.json.id])
        #expect(await board.send(.get, "/ddays").json["items"] == [])
        let again = await board.send(
            .post, "/ddays", "{\"id\": \"\(made.json.id)\", \"title\": \"x\", \"date\": \"2026-12-01\"}")
        #expect(again.code == "already_exists")

        let restored = await board.send(.post, "\(path)/restore", "{}")
        #expect(restored.status == 200 && restored.json["title"] == "시험" && restored.json["deletedAt"] == nil)
        #expect(await board.send(.get, path).body == restored.body)
        #expect(await board.send(.post, "\(path)/restore").status == 404)
    }

    @Test(arguments: [
        ("{}", ["#/title required", "#/date required"]),
        (#"{"title": " ", "date": "2026-02-30"}"#, ["#/title blank", "#/date invalid_format"]),
        (#"{"title": null, "date": null}"#, ["#/title invalid_type", "#/date invalid_type"]),
        (#"{"title": "x", "date": "2026-12-01T00:00:00Z"}"#, ["#/date invalid_format"]),
        (#"{"title": "x", "date": "2026-12-01", "repeats": "weekly"}"#, ["#/repeats invalid_value"]),
        (#"{"title": "x", "date": "2026-12-01", "color": "red"}"#, ["#/color invalid_format"]),
        (#"{"title": "x", "date": "2026-12-01", "emoji": "🎂🎂"}"#, ["#/emoji invalid_format"]),
        (#"{"title": "x", "date": "2026-12-01", "when": 1}"#, ["#/when unknown_member"]),
    ])
    func `faults are reported with their pointers`(body: String, faults: [String]) async throws {
        let answer = await board.send(.post, "/ddays", body)

        #expect(answer.status == 422 && answer.faults == faults)
        #expect(await board.send(.get, "/ddays").json["items"] == [])
    }

    @Test func `the list is by date, page by page, each seen once`() async throws {
        for day in [5, 1, 3, 3, 2, 4] {
            await board.send(.post, "/ddays", "{\"title\": \"\(day)\", \"date\": \"2027-01-0\(day)\"}")
        }

        var titles: [String] = []
        var target = "/ddays?limit=2"
        while true {
            let page = await board.send(.get, target)
            titles += page.json["items"]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? []
            guard let cursor = page.json["nextCursor"]?.stringValue else { break }
            #expect(page.header("Link") == "</ddays?limit=2&cursor=\(cursor)>; rel=\"next\"")
            target = "/ddays?limit=2&cursor=\(cursor)"
        }

        #expect(titles == ["1", "2", "3", "3", "4", "5"])
        #expect(await board.send(.get, "/ddays?cursor=x").code == "invalid_cursor")
    }

    @Test func `a countdown starts from the user's today, and its tag with it`() async throws {
        // 17:19 in Seoul, on the 20th; twelve hours behind UTC it is the 19th.
        await board.send(.post, "/ddays", #"{"title": "생일", "date": "2000-11-21", "repeats": "yearly"}"#)

        let seoul = await board.send(.get, "/ddays?expand=countdown")
        #expect(
            seoul.json["items"]?.arrayValue?.first?["countdown"]
                == ["dDay": "D-1", "daysLeft": 1, "nextDate": "2026-11-21"])
        let baker = await board.send(.get, "/ddays?expand=countdown&timeZone=Etc/GMT%2B12")
        #expect(baker.json["items"]?.arrayValue?.first?["countdown"]?["dDay"] == "D-2")

        let tag = try #require(seoul.header("ETag"))
        #expect(await board.send(.get, "/ddays?expand=countdown", headers: [("If-None-Match", tag)]).status == 304)
        board.clock.advance(seconds: 7 * 3_600)
        let later = await board.send(.get, "/ddays?expand=countdown", headers: [("If-None-Match", tag)])
        #expect(later.status == 200 && later.header("ETag") != tag)
    }

    @Test func `a change that is based on an old state is refused with the current one`() async throws {
        let made = await board.send(.post, "/ddays", #"{"title": "a", "date": "2026-12-01"}"#)
        let path = "/ddays/\(made.json.id)"
        await board.send(.patch, path, #"{"title": "b"}"#)

        let stale = await board.send(.patch, path, #"{"title": "c"}"#, headers: [("If-Match", "\"1\"")])

        #expect(stale.status == 412 && stale.json["current"]?["title"] == "b")
        #expect(await board.send(.delete, path, headers: [("If-Match", "\"2-x\"")]).status == 204)
    }
}
