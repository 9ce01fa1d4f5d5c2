import Foundation
import HTTP
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

struct ApplicationTests {
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @Test(arguments: [("br", 415), ("identity", 201)])
    func `a body in an unknown coding is 415`(coding: String, status: Int) async throws {
        let answer = await board.send(.post, "/tasks", "{}", headers: [("Content-Encoding", coding)])

        #expect(answer.status == status)
    }

    @Test func `an error of the wire is reported for the route of its request`() throws {
        let board = try TestBoard()
        func operation(_ target: String?) -> String {
            let head = target.map { Request(method: .post, target: $0, headers: Headers([("Host", "localhost")])) }
            return board.application.answer(to: WireError(status: 413, detail: "Too large."), head: head).operation
        }

        #expect(operation("/tasks?x=1") == "createTask")
        #expect(operation("/nowhere") == "unrouted" && operation(nil) == "unrouted")
    }

    @Test func `TRACE is refused everywhere`() async {
        let (known, unknown) = (await board.send(.trace, "/tasks"), await board.send(.trace, "/nowhere"))

        #expect(known.status == 405 && known.header("Allow")?.contains("GET") == true)
        #expect(unknown.status == 501 && unknown.code == "not_implemented")
    }

    @Test func `every problem has a page at its type`() async throws {
        for code in Problem.kinds {
            let page = await board.send(.get, "/problems/\(code.rawValue)")
            #expect(page.status == 200 && page.header("Content-Security-Policy") != nil)
        }
        #expect(await board.send(.get, "/problems/none").status == 404)
    }

    @Test func `no two kinds of problems have the same code`() {
        #expect(Set(Problem.kinds.map { $0.rawValue }).count == Problem.kinds.count)
        #expect(Fault.Code.allCases.allSatisfy { $0.status == 422 })
    }
}
