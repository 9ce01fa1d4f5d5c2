import JSON
import Kanban

/// The weather at a place, in degrees Celsius.
package struct Weather: Hashable, Sendable {
    package var temperature: Double
    /// Of today at that place.
    package var high: Double
    package var low: Double
    /// A WMO weather code (table 4677), 0–99.
    package var code: Int
    package var observedAt: Timestamp
    /// The host of the service.
    package var source: String

    /// The code as a word, by which an app can choose an icon.
    package var condition: String {
        switch code {
        case 0: "clear"
        case 1: "mostly_clear"
        case 2: "partly_cloudy"
        case 3: "cloudy"
        case 45, 48: "fog"
        case 51...55: "drizzle"
        case 56, 57, 66, 67: "freezing_rain"
        case 61...65, 80...82: "rain"
        case 71...77, 85, 86: "snow"
        case 95...99: "thunderstorm"
        default: "unknown"
        }
    }
}

extension Weather {
    /// Reads the answer of an Open-Meteo compatible service to `current=temperature_2m,weather_code` and
    /// `daily=temperature_2m_max,temperature_2m_min`; the older `current_weather` is understood as well.
    /// `nil` when a value is missing or impossible.
    init?(openMeteo answer: JSON, source: String) {
        let values: (temperature: JSON?, code: JSON?, time: JSON?)
        if let current = answer["current"] {
            values = (current["temperature_2m"], current["weather_code"], current["time"])
        } else if let current = answer["current_weather"] {
            values = (current["temperature"], current["weathercode"], current["time"])
        } else {
            return nil
        }
        guard let temperature = Self.degrees(values.temperature),
            let high = Self.degrees(answer["daily"]?["temperature_2m_max"]?.arrayValue?.first),
            let low = Self.degrees(answer["daily"]?["temperature_2m_min"]?.arrayValue?.first),
            let code = values.code?.intValue, (0...99).contains(code),
            let observedAt = Self.instant(values.time, offset: answer["utc_offset_seconds"]?.intValue ?? 0)
        else { return nil }
        self.init(
            temperature: temperature, high: high, low: low, code: code, observedAt: observedAt, source: source)
    }

    private static func degrees(_ value: JSON?) -> Double? {
        guard let degrees = value?.doubleValue, degrees.isFinite, abs(degrees) < 200 else { return nil }
        return degrees
    }

    /// A local time to the minute, `2026-11-20T17:15`, or seconds since 1970.
    private static func instant(_ value: JSON?, offset: Int) -> Timestamp? {
        let instant: Timestamp
        if let seconds = value?.intValue {
            guard seconds.magnitude < 1_000_000_000_000 else { return nil }
            instant = Timestamp(milliseconds: Int64(seconds) * 1_000)
        } else if let text = value?.stringValue, offset.magnitude <= 14 * 3_600,
            let local = Timestamp(rfc3339: text.utf8.count == 16 ? "\(text):00Z" : "\(text)Z")
        {
            instant = local.adding(milliseconds: Int64(-offset) * 1_000)
        } else {
            return nil
        }
        return Timestamp.range.contains(instant) ? instant : nil
    }
}

/// Why there is no weather.
package enum WeatherFault: Error, Hashable, Sendable {
    /// The service cannot be reached, or its answer is malformed: 502.
    case unavailable
    /// The service takes too long: 504.
    case timeout
    /// The service was not asked, because it is asked for as many places already as may be: 503.
    case busy
}

/// A place to a tenth of a degree, the precision that weather needs and that others may learn.
package struct Coordinates: Hashable, Sendable {
    /// Tenths of a degree north, -900–900.
    package let latitude: Int
    /// Tenths of a degree east, -1800–1800.
    package let longitude: Int

    /// `nil` outside of ±90 and ±180 degrees.
    package init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitude = Int((latitude * 10).rounded())
        self.longitude = Int((longitude * 10).rounded())
    }
}
