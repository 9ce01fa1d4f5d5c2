import JSON

/// The settings of an account, on all its devices.
package struct Settings: Hashable, Sendable {
    /// The most bytes of JSON in `custom`.
    package static let longestCustom = 16_384

    /// An IANA name that the system knows; `nil` when unset.
    package var timeZone: String?
    /// `ko`, `en` or `ja`; `nil` when unset.
    package var locale: String?
    /// The app's own object, at most 16 KiB as JSON.
    package var custom: JSON
    /// When all-day tasks remind, `HH:MM`; `nil`: 09:00.
    package var allDayTime: String?
    /// When the mail of what is due comes, `HH:MM`; `nil`: never.
    package var digest: String?
    package var revision: Revision
    package var memberRevisions: MemberRevisions

    package init(
        timeZone: String? = nil, locale: String? = nil, custom: JSON = .object([]), revision: Revision = 0,
        memberRevisions: MemberRevisions = MemberRevisions(), allDayTime: String? = nil, digest: String? = nil
    ) {
        self.timeZone = timeZone
        self.locale = locale
        self.custom = custom
        self.revision = revision
        self.memberRevisions = memberRevisions
        self.allDayTime = allDayTime
        self.digest = digest
    }
}

extension Settings: Noun {
    package static let type = ResourceType.settings
    package static let members: [Member<Settings>] = [
        Member("timeZone", column: "time_zone", \.timeZone, .zone, standard: nil),
        Member("locale", \.locale, .word(Language.allCases.map(\.rawValue)), standard: nil),
        Member("custom", \.custom, .object(most: longestCustom), standard: .object([])),
        Member("allDayTime", column: "all_day_time", \.allDayTime, .timeOfDay, standard: nil),
        Member("digest", \.digest, .timeOfDay, standard: nil),
    ]
    package static let shownOnly: Set = ["id", "revision"]

    package var historyID: ID { ID(high: 0x7365_7474_696e_6773, low: 0) }
    package var change: Change.Value { .settings(self) }
}
