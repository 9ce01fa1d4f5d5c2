import Foundation
import JSON
import Kanban

/// What the account chose for all its devices.
public struct KanbanSettings: Hashable, Sendable, Codable {
    /// An IANA name.
    public let timeZone: String?
    /// `ko`, `en` or `ja`.
    public let locale: String?
    /// The app's own texts, such as theme colours. What another client put there that is no text is left out here, and
    /// stays where it is.
    public let custom: [String: String]
    /// When all-day tasks remind, `HH:MM`; `nil`: 09:00.
    public let allDayTime: String?
    /// When the mail of what is due comes, `HH:MM`; `nil`: never.
    public let digest: String?

    /// For previews and tests of an app.
    public init(
        timeZone: String? = nil, locale: String? = nil, custom: [String: String] = [:], allDayTime: String? = nil,
        digest: String? = nil
    ) {
        self.timeZone = timeZone
        self.locale = locale
        self.custom = custom
        self.allDayTime = allDayTime
        self.digest = digest
    }

    init(_ settings: Settings) {
        let members = (settings.custom.objectMembers ?? []).compactMap { member in
            member.value.stringValue.map { (member.name, $0) }
        }
        self.init(
            timeZone: settings.timeZone, locale: settings.locale,
            custom: Dictionary(members, uniquingKeysWith: { $1 }), allDayTime: settings.allDayTime,
            digest: settings.digest)
    }
}

public struct SettingsDraft: Hashable, Sendable {
    public var timeZone, locale: String?
    public var custom: [String: String]
    /// `HH:MM`, as in ``KanbanSettings``.
    public var allDayTime, digest: String?

    public init(
        timeZone: String? = nil, locale: String? = nil, custom: [String: String] = [:], allDayTime: String? = nil,
        digest: String? = nil
    ) {
        self.allDayTime = allDayTime
        self.digest = digest
        self.timeZone = timeZone
        self.locale = locale
        self.custom = custom
    }
}
