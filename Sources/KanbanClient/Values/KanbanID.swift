import Foundation
import Kanban

/// The name of a task, category, D-day or image: a UUID. It never changes and is never used for something else.
public struct KanbanID: Hashable, Sendable {
    let id: ID

    init(_ id: ID) {
        self.id = id
    }

    /// A new version 7 id.
    public init() {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        id = ID(version7At: now, random: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)))
    }
}

extension KanbanID {
    public init(_ uuid: UUID) {
        let bytes = uuid.uuid
        func number(_ bytes: UInt8...) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        id = ID(
            high: number(bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7),
            low: number(bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15))
    }

    public var uuid: UUID {
        func byte(_ number: UInt64, _ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> (56 - place * 8)) }
        let (a, b) = (id.high, id.low)
        return UUID(
            uuid: (
                byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6), byte(a, 7),
                byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5), byte(b, 6), byte(b, 7)
            ))
    }
}

extension KanbanID: LosslessStringConvertible {
    /// Reads the 36 characters of the hyphenated form, in any case.
    public init?(_ description: String) {
        guard let id = ID(description) else { return nil }
        self.id = id
    }

    /// Lower case, with hyphens.
    public var description: String { id.description }
}

extension KanbanID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no UUID.")
        }
        self.id = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
