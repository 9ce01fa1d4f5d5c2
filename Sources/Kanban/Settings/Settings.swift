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
    package var revision: Revision

    package init(
        timeZone: String? = nil, locale: String? = nil, custom: JSON = .object([]), revision: Revision = 0
    ) {
        self.timeZone = timeZone
        self.locale = locale
        self.custom = custom
        self.revision = revision
    }
}
