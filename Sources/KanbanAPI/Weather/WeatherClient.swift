import Foundation
import JSON
import Kanban

/// Asks an Open-Meteo compatible service, and gives up after `timeout`.
struct WeatherClient: Sendable {
    private let service: URL
    private let timeout: Duration
    private let fetch: WeatherFetch

    /// - Parameter service: the address of the forecast; `/v1/forecast` when it names no path.
    init(service: URL, timeout: Duration, fetch: @escaping WeatherFetch) {
        self.fetch = fetch
        self.service =
            service.path.isEmpty || service.path == "/" ? service.appendingPathComponent("v1/forecast") : service
        self.timeout = timeout
    }

    /// - Throws: ``WeatherFault``.
    func weather(at place: Place) async throws -> Weather {
        guard let address = address(for: place) else { throw WeatherFault.unavailable }
        let bytes = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask { try await fetch(address) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw WeatherFault.timeout
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw WeatherFault.unavailable }
            return first
        }
        do {
            let answer = try JSON(parsing: bytes)
            guard let weather = Weather(openMeteo: answer, source: service.host ?? "") else {
                throw WeatherFault.unavailable
            }
            return weather
        } catch is JSONError {
            throw WeatherFault.unavailable
        }
    }

    private func address(for place: Place) -> URL? {
        var components = URLComponents(url: service, resolvingAgainstBaseURL: false)
        let own = components?.queryItems ?? []
        components?.queryItems =
            own + [
                URLQueryItem(name: "latitude", value: Self.degrees(place.latitude)),
                URLQueryItem(name: "longitude", value: Self.degrees(place.longitude)),
                URLQueryItem(name: "current", value: "temperature_2m,weather_code"),
                URLQueryItem(name: "daily", value: "temperature_2m_max,temperature_2m_min"),
                URLQueryItem(name: "timezone", value: "auto"),
                URLQueryItem(name: "forecast_days", value: "1"),
            ]
        return components?.url
    }

    private static func degrees(_ tenths: Int) -> String {
        "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
