import Fetch
import Foundation
import Kanban

/// The weather by place, asked for at most once in ten minutes and once at a time.
package actor WeatherService {
    private let client: WeatherClient
    private let clock: @Sendable () -> Timestamp
    private var kept: [Place: (weather: Weather, until: Timestamp)] = [:]
    private var running: [Place: Task<Weather, any Error>] = [:]

    /// How long an answer may take.
    package static let usualTimeout = Duration.seconds(3)

    private static let lifetime: Int64 = 10 * 60 * 1_000
    /// The earth has millions of places; an account may ask for all of them.
    private static let mostKept = 1_000
    /// Each is a thread that waits.
    private static let mostRunning = 16
    /// Bytes of the longest answer that is taken.
    private static let answerLimit = 64 * 1024

    /// - Parameters:
    ///   - service: the address of an Open-Meteo compatible service, http or https.
    ///   - timeout: how long one answer may take.
    ///   - clock: by which what was told grows old.
    package init(
        service: URL, timeout: Duration = usualTimeout, clock: @escaping @Sendable () -> Timestamp
    ) {
        client = WeatherClient(
            service: service,
            fetcher: Fetcher(timeout: timeout, limit: Self.answerLimit, most: Self.mostRunning))
        self.clock = clock
    }

    /// - Throws: ``WeatherFault``.
    package func weather(at place: Place) async throws -> Weather {
        if let known = kept[place], clock() < known.until { return known.weather }
        if let task = running[place] { return try await task.value }
        guard running.count < Self.mostRunning else { throw WeatherFault.unavailable }
        // Not a child of the request's task: others may be waiting for the same answer.
        let task = Task { try await client.weather(at: place) }
        running[place] = task
        defer { running[place] = nil }
        let weather = try await task.value
        keep(weather, for: place)
        return weather
    }

    private func keep(_ weather: Weather, for place: Place) {
        let now = clock()
        if kept.count >= Self.mostKept {
            kept = kept.filter { now < $0.value.until }
            while kept.count >= Self.mostKept, let oldest = kept.min(by: { $0.value.until < $1.value.until }) {
                kept[oldest.key] = nil
            }
        }
        kept[place] = (weather, now.adding(milliseconds: Self.lifetime))
    }
}
