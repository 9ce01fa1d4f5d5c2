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
