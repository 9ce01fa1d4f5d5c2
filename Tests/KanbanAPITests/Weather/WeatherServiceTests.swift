import Foundation
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

@Suite(.timeLimit(.minutes(10)))
struct WeatherServiceTests {
    private let seoul: Coordinates
    private let clock = TestClock(1_795_162_740_123)

    init() throws {
        seoul = try #require(Coordinates(latitude: 37.5665, longitude: 126.978))
    }

    @Test func `the service's answer becomes the weather`() async throws {
        let service = try StubServer(.answer(.good))
        defer { service.stop() }

        let weather = try await weatherService(service).weather(at: seoul)

        #expect(weather.temperature == 4.3 && weather.high == 9.1 && weather.low == -0.4)
        #expect(weather.code == 61 && weather.condition == "rain")
        #expect(weather.observedAt.description == "2026-11-20T08:15:00.000Z")
        #expect(weather.source == "127.0.0.1")
        let line = try #require(service.requests.first)
        #expect(line.hasPrefix("GET /v1/forecast?latitude=37.6&longitude=127.0&current=temperature_2m,weather_code&"))
    }

    @Test func `a place is asked for once in ten minutes`() async throws {
        let service = try StubServer(.answer(.good))
        defer { service.stop() }
        let weather = try weatherService(service)
        let nearBy = try #require(Coordinates(latitude: 37.61, longitude: 127.04))

        _ = try await weather.weather(at: seoul)
        _ = try await weather.weather(at: nearBy)
        clock.advance(seconds: 599)
        _ = try await weather.weather(at: seoul)
        #expect(service.requests.count == 1)
        clock.advance(seconds: 2)
        _ = try await weather.weather(at: seoul)

        #expect(service.requests.count == 2)
    }

    @Test func `many who ask at once wait for one answer`() async throws {
        let service = try StubServer(.answer(.good))
        defer { service.stop() }
        let weather = try weatherService(service)

        let temperatures = try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<50 { group.addTask { try await weather.weather(at: seoul).temperature } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(temperatures == Array(repeating: 4.3, count: 50))
        #expect(service.requests.count == 1)
    }

    @Test func `a service that says nothing is given up on`() async throws {
        let service = try StubServer(.silence)
        defer { service.stop() }
        let weather = try weatherService(service, timeout: .milliseconds(200))

        await #expect(throws: WeatherFault.timeout) { try await weather.weather(at: seoul) }
    }

    @Test(arguments: [
        "", "garbage\r\n\r\n", .ok("{"), .ok("{}"), .ok("[]"), .ok("null"),
        .ok(String.goodBody.replacing("61", with: "\"61\"")), .ok(String.goodBody.replacing("61", with: "612")),
        .ok(String.goodBody.replacing("4.3", with: "null")), .ok(String.goodBody.replacing("[9.1]", with: "[]")),
        .ok(String.goodBody.replacing("4.3", with: "1e400")), .ok(String.goodBody.replacing("T17:15", with: " 17:15")),
        "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"current\":",
        .ok("{\"current\": \"" + String(repeating: "x", count: 70_000) + "\"}"),
    ])
    func `an invalid answer is a failure, and the next one counts again`(answer: String) async throws {
        let service = try StubServer(.answer(answer))
        defer { service.stop() }
        let weather = try weatherService(service)

        await #expect(throws: WeatherFault.unavailable) { try await weather.weather(at: seoul) }
        service.behave(.answer(.good))

        #expect(try await weather.weather(at: seoul).code == 61)
    }

    @Test func `an answer without end is cut off`() async throws {
        let service = try StubServer(.endless)
        defer { service.stop() }

        await #expect(throws: WeatherFault.unavailable) { try await weatherService(service).weather(at: seoul) }

        // Not only for the caller: nobody reads the rest.
        var hangUps = service.hungUp.makeAsyncIterator()
        await hangUps.next()
    }

    @Test func `answers without end from many places are cut off as well, and then it is asked again`() async throws {
        let service = try StubServer(.endless)
        defer { service.stop() }
        let weather = try weatherService(service)
        let places = (0..<4).compactMap { Coordinates(latitude: Double($0), longitude: 0) }

        // Why it fails does not matter: some are cut off, some not even sent.
        let failures = await withTaskGroup(of: Bool.self) { group in
            for place in places { group.addTask { await (try? weather.weather(at: place)) == nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 4)
        var hangUps = service.hungUp.makeAsyncIterator()
        for _ in service.requests { await hangUps.next() }
        service.behave(.answer(.good))

        // Fails while the place is still being asked for.
        var code: Int?
        while code == nil { code = try? await weather.weather(at: seoul).code }
        #expect(code == 61)
    }

    @Test func `a service that is not there is a failure`() async throws {
        let service = try StubServer(.silence)
        service.stop()

        await #expect(throws: WeatherFault.unavailable) { try await weatherService(service).weather(at: seoul) }
    }

    @Test func `older answers and seconds since 1970 are understood`() throws {
        let old = """
            {"current_weather": {"temperature": 21, "weathercode": 0, "time": 1795162500},
             "daily": {"temperature_2m_max": [25.5], "temperature_2m_min": [12]}}
            """

        let weather = try #require(Weather(openMeteo: JSON(parsing: Array(old.utf8)), source: "x"))

        #expect(weather.temperature == 21 && weather.condition == "clear")
        #expect(weather.observedAt.description == "2026-11-20T08:15:00.000Z")
    }

    @Test func `every code of the table has a word`() {
        for code in [
            0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99,
        ] {
            let weather = Weather(
                temperature: 0, high: 0, low: 0, code: code, observedAt: clock.now, source: "")
            #expect(weather.condition != "unknown")
        }
    }

    @Test func `a place lies on the earth`() {
        #expect(Coordinates(latitude: 90.01, longitude: 0) == nil && Coordinates(latitude: 0, longitude: -180.5) == nil)
        #expect(Coordinates(latitude: .nan, longitude: 0) == nil)
        #expect(Coordinates(latitude: -0.04, longitude: 0) == Coordinates(latitude: 0, longitude: 0))
    }

    /// Waits longer than a busy machine may keep the stub server from answering.
    private func weatherService(_ service: StubServer, timeout: Duration = .seconds(120)) throws -> WeatherService {
        let clock = clock
        return WeatherService(service: try #require(URL(string: service.url)), timeout: timeout, clock: { clock.now })
    }
}
