import Fetch
import Foundation
import JSON
import Kanban

/// A client of an Open-Meteo compatible service, with a time-out.
struct WeatherClient: Sendable {
    private let service: URL
    private let fetcher: Fetcher

    /// - Parameter service: the address of the forecast; `/v1/forecast` when it names no path.
    init(service: URL, fetcher: Fetcher) {
        self.fetcher = fetcher
        self.service =
            service.path.isEmpty || service.path == "/" ? service.appendingPathComponent("v1/forecast") : service
    }

    /// - Throws: ``WeatherFault``.
    func weather(at coordinates: Coordinates) async throws -> Weather {
        guard let address = address(for: coordinates) else { throw WeatherFault.unavailable }
        do {
            let answer = try JSON(parsing: try await fetcher.get(address.absoluteString))
            guard let weather = Weather(openMeteo: answer, source: service.host ?? "") else {
                throw WeatherFault.unavailable
            }
            return weather
        } catch Fetcher.Fault.timeout {
            throw WeatherFault.timeout
        } catch Fetcher.Fault.busy {
            throw WeatherFault.busy
        } catch is JSONError, is Fetcher.Fault {
            throw WeatherFault.unavailable
        }
    }

    private func address(for coordinates: Coordinates) -> URL? {
        var components = URLComponents(url: service, resolvingAgainstBaseURL: false)
        let own = components?.queryItems ?? []
        components?.queryItems =
            own + [
                URLQueryItem(name: "latitude", value: Self.degrees(coordinates.latitude)),
                URLQueryItem(name: "longitude", value: Self.degrees(coordinates.longitude)),
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
