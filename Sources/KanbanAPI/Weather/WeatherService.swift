import Fetch
import Foundation
import Kanban

/// The weather by place. Each place is requested at most once in ten minutes, and not twice at a time.
package actor WeatherService {
    private let client: WeatherClient
    private let clock: @Sendable () -> Timestamp
    private var kept: [Coordinates: (weather: Weather, until: Timestamp)] = [:]
    private var running: [Coordinates: Task<Weather, any Error>] = [:]

    /// The time-out of an answer.
    package static let usualTimeout = Duration.seconds(3)

    private static let lifetime: Int64 = 10 * 60 * 1_000
    /// The most places in memory: the earth has millions, and one account may ask for all of them.
    private static let mostKept = 1_000
    /// The most requests at a time: each is a thread that waits.
    private static let mostRunning = 16
    /// The most bytes of an answer.
    private static let answerLimit = 64 * 1024

    /// - Parameters:
    ///   - service: the address of an Open-Meteo compatible service, http or https.
    ///   - timeout: the time-out of one answer.
    ///   - clock: measures the age of an answer.
    package init(
        service: URL, timeout: Duration = usualTimeout, clock: @escaping @Sendable () -> Timestamp
    ) {
        client = WeatherClient(
            service: service,
            fetcher: Fetcher(timeout: timeout, limit: Self.answerLimit, most: Self.mostRunning))
        self.clock = clock
    }

    /// - Throws: ``WeatherFault``.
    package func weather(at coordinates: Coordinates) async throws -> Weather {
        if let known = kept[coordinates], clock() < known.until { return known.weather }
        if let task = running[coordinates] { return try await task.value }
        guard running.count < Self.mostRunning else { throw WeatherFault.busy }
        // Not a child of the request's task: other requests may wait for the same answer.
        let task = Task { try await client.weather(at: coordinates) }
        running[coordinates] = task
        defer { running[coordinates] = nil }
        let weather = try await task.value
        keep(weather, for: coordinates)
        return weather
    }

    private func keep(_ weather: Weather, for coordinates: Coordinates) {
        let now = clock()
        if kept.count >= Self.mostKept {
            kept = kept.filter { now < $0.value.until }
            while kept.count >= Self.mostKept, let oldest = kept.min(by: { $0.value.until < $1.value.until }) {
                kept[oldest.key] = nil
            }
        }
        kept[coordinates] = (weather, now.adding(milliseconds: Self.lifetime))
    }
}
