import Foundation
import JSON
import TestSupport
import Testing

/// The program and a weather service that misbehaves.
struct WeatherTests {
    @Test func `a weather service that breaks off in any way takes no server along`() throws {
        let service = try StubServer(.silence)
        defer { service.stop() }
        let server = try Kanbase(on: nil, ["--weather-url", service.url])
        let client = try server.client()
        let place = "/weather?latitude=37.57&longitude=126.98"

        for answer in [
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Len", "404 Not\r\nA: b",
            "HTTP/1.1 100 Continue\r\nA: b",
            "HTTP/1.1 301 Moved\r\nLocation: /x", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
            .ok("{}"), .ok(String.goodBody.replacing("\"2026-11-20T17:15\"", with: "-9223372036854775808")),
        ] {
            service.behave(.answer(answer))
            // On a very slow machine three seconds are over before the answer is there.
            let status = try client.get(place).status
            #expect(status == 502 || status == 504)
        }
        service.behave(.silence)
        expectProblem(try client.get(place), 504, "upstream_timeout")
        service.behave(.endless)
        #expect(try client.get(place).status >= 502)
        service.behave(.answer(.good))
        var weather = try client.get(place)
        while weather.status == 504 { weather = try client.get(place) }

        #expect(weather.json["temperature"] == 4.3)
        #expect(server.stop() == .exited(0))
    }
}
