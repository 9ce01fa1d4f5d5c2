import Foundation
import HTTP
import Kanban
import Testing

@testable import KanbanAPI

struct ApplicationTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test func `an unknown address is 404 and a wrong method 405 with Allow`() async throws {
        let unknown = await board.send(.get, "/nothing")
        let wrong = await board.send(.put, "/tasks", "{}")
        let options = await board.send(.options, "/tasks/x")

        #expect(unknown.status == 404 && unknown.code == "not_found")
        #expect(wrong.status == 405 && wrong.code == "method_not_allowed")
        #expect(Set((wrong["Allow"] ?? "").components(separatedBy: ", ")) == ["GET", "HEAD", "OPTIONS", "POST"])
        #expect(options.status == 204 && options["Allow"]?.contains("PATCH") == true)
    }

    @Test(arguments: [nil, "text/plain", "application/merge-patch+json", "application/json; charset=latin1"])
    func `a body of another type is 415`(type: String?) async throws {
        let headers = type.map { [(name: "Content-Type", value: $0)] } ?? [(name: "Content-Type", value: "")]

        let answer = await board.send(.post, "/tasks", "{}", headers: headers)

        #expect(answer.status == 415 && answer.code == "unsupported_media_type")
    }

    @Test(arguments: [("br", 415), ("identity", 201)])
    func `a body in an unknown coding is 415`(coding: String, status: Int) async throws {
        let answer = await board.send(.post, "/tasks", "{}", headers: [("Content-Encoding", coding)])

        #expect(answer.status == status)
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\""])
    func `JSON is taken however it is spelled`(type: String) async throws {
        #expect(await board.send(.post, "/tasks", "{}", headers: [("Content-Type", type)]).status == 201)
    }

    @Test func `a sensible request id is echoed and another is made`() async throws {
        let given = await board.send(.get, "/tasks", headers: [("X-Request-Id", "abc-1.2_3")])
        let odd = await board.send(.get, "/tasks", headers: [("X-Request-Id", "a b")])

        #expect(given["X-Request-Id"] == "abc-1.2_3")
        #expect(odd["X-Request-Id"]?.isEmpty == false && odd["X-Request-Id"] != "a b")
    }

    @Test func `an error of the wire is told of the route that it was meant for`() throws {
        let board = try TestBoard()
        func operation(_ target: String?) -> String {
            let head = target.map { Request(method: .post, target: $0, headers: Headers([("Host", "localhost")])) }
            return board.application.answer(to: WireError(status: 413, detail: "Too large."), head: head).operation
        }

        #expect(operation("/tasks?x=1") == "createTask")
        #expect(operation("/nowhere") == "unrouted" && operation(nil) == "unrouted")
    }

    @Test func `every problem has a page at its type`() async throws {
        for code in Problem.kinds {
            let page = await board.send(.get, "/problems/\(code.rawValue)")
            #expect(page.status == 200 && page["Content-Security-Policy"] != nil)
        }
        #expect(await board.send(.get, "/problems/none").status == 404)
    }

    @Test func `no two kinds of problems have the same code`() {
        #expect(Set(Problem.kinds.map { $0.rawValue }).count == Problem.kinds.count)
        #expect(Fault.Code.allCases.allSatisfy { $0.status == 422 })
    }
}
