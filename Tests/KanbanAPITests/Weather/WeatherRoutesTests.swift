import Dispatch
import Foundation
import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

@Suite(.timeLimit(.minutes(10)))
struct WeatherRoutesTests {
    @Test func `the weather has a tag`() async throws {
        let service = try StubServer(.answer(.good))
        let board = try board(service)

        let weather = await board.send(.get, "/weather?latitude=37.57&longitude=126.98")

        #expect(
            weather.json == [
                "temperature": 4.3, "high": 9.1, "low": -0.4, "condition": "rain", "code": 61,
                "observedAt": "2026-11-20T08:15:00.000Z", "source": "127.0.0.1",
            ])
        let tag = try #require(weather.header("ETag"))
        let again = await board.send(
            .get, "/weather?latitude=37.57&longitude=126.98", headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
        service.stop()
    }

    @Test func `without a service it is off`() async throws {
        let board = try TestBoard()

        let answer = await board.send(.get, "/weather?latitude=37.57&longitude=126.98")

        #expect(answer.status == 404 && answer.code == "weather_off")
    }

    @Test(arguments: [
        "", "?latitude=1", "?latitude=91&longitude=0", "?latitude=0&longitude=-180.1", "?latitude=nan&longitude=0",
        "?latitude=0x1&longitude=0", "?latitude=&longitude=0", "?latitude=north&longitude=0",
        "?latitude=1e400&longitude=0",
    ])
    func `an invalid place is refused`(query: String) async throws {
        let service = try StubServer(.answer(.good))
        let board = try board(service)

        #expect(await board.send(.get, "/weather\(query)").code == "invalid_parameter")
        #expect(service.requests.isEmpty)
        service.stop()
    }

    @Test func `a service that fails is a bad gateway, and one that is slow a gateway time-out`() async throws {
        let service = try StubServer(.answer("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"))
        let board = try board(service)
        let hurried = try self.board(service, timeout: .milliseconds(100))

        let failed = await board.send(.get, "/weather?latitude=1&longitude=1")
        #expect(failed.status == 502 && failed.code == "upstream_failed")
        service.behave(.silence)
        let slow = await hurried.send(.get, "/weather?latitude=1&longitude=1")
        #expect(slow.status == 504 && slow.code == "upstream_timeout")
        #expect(hurried.observer.failures.isEmpty)
        #expect(board.observer.failures.isEmpty)
        service.stop()
    }

    @Test func `while as many places are asked for as may be, a further one is 503 and not asked for`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let service = try StubServer(
            .reply { _ in
                gate.wait()
                return .good
            })
        let weather = try weather(service, timeout: .seconds(300))
        let board = try TestBoard(weather: weather)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for latitude in 0..<16 {
                group.addTask {
                    let place = try #require(Coordinates(latitude: Double(latitude), longitude: 0))
                    _ = try await weather.weather(at: place)
                }
            }
            try await until { service.requests.count == 16 }
            let answer = await board.send(.get, "/weather?latitude=37.57&longitude=126.98")
            #expect(answer.status == 503 && answer.code == "unavailable" && answer.header("Retry-After") == "2")
            for _ in 0..<16 { gate.signal() }
            try await group.waitForAll()
        }
        #expect(service.requests.count == 16)
        service.stop()
    }

    /// Waits longer than a busy machine may keep the stub server from answering.
    private func board(_ service: StubServer, timeout: Duration = .seconds(120)) throws -> TestBoard {
        try TestBoard(weather: weather(service, timeout: timeout))
    }

    private func weather(_ service: StubServer, timeout: Duration) throws -> WeatherService {
        let url = try #require(URL(string: service.url))
        return WeatherService(service: url, timeout: timeout, clock: { Timestamp(milliseconds: 0) })
    }
}
