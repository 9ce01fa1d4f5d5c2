import HTTP
import JSON
import Kanban
import KanbanWire

/// The weather, from the configured service.
package struct WeatherRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/weather", "showWeather", parameters: ["latitude", "longitude"], show)]
    }

    private func show(_ call: Call) async throws -> Response {
        guard let service = call.environment.weather else { throw Problem(.weatherOff) }
        guard let coordinates = try call.query.coordinates() else {
            throw Problem(.invalidParameter, "Say where with latitude and longitude.")
        }
        let weather: Weather
        do {
            weather = try await service.weather(at: coordinates)
        } catch WeatherFault.timeout {
            throw Problem(.upstreamTimeout)
        } catch WeatherFault.busy {
            throw Problem(
                .unavailable, "The weather of too many places is asked for right now.", headers: [("Retry-After", "2")])
        } catch {
            throw Problem(.upstreamFailed)
        }
        var json = JSONWriter(capacity: 256)
        json.value(weather)
        return .json(tag: "\"\(String(EntityTag.fingerprint(json.bytes), radix: 36))\"", encoded: json.bytes)
    }
}

extension Query {
    /// The place at `latitude` and `longitude`; `nil` without both.
    /// - Throws: a 400 problem when one of them is missing or out of range.
    func coordinates() throws -> Coordinates? {
        switch (try degrees("latitude", 90), try degrees("longitude", 180)) {
        case (nil, nil): return nil
        case (let latitude?, let longitude?): return Coordinates(latitude: latitude, longitude: longitude)
        default: throw Problem(.invalidParameter, "latitude and longitude go together.")
        }
    }

    private func degrees(_ name: String, _ limit: Double) throws -> Double? {
        guard let text = self[name] else { return nil }
        // JSON's syntax of numbers: no `nan`, no hexadecimal, no local formats.
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        guard isPlain, let value = Double(text), abs(value) <= limit else {
            throw Problem(.invalidParameter, "\(name) takes a number of degrees from -\(Int(limit)) to \(Int(limit)).")
        }
        return value
    }
}

extension JSONWriter {
    package mutating func value(_ weather: Weather) {
        beginObject()
        name("temperature")
        value(weather.temperature)
        name("high")
        value(weather.high)
        name("low")
        value(weather.low)
        name("condition")
        value(weather.condition)
        name("code")
        value(weather.code)
        name("observedAt")
        value(weather.observedAt)
        name("source")
        value(weather.source)
        endObject()
    }
}
