import JSON
import Kanban

/// What clients send about settings.
package enum SettingsBody {
    /// - Parameter pointer: the pointer to the settings in the document.
    package static func patch(
        _ json: JSON, at pointer: String = "#"
    ) throws -> @Sendable (inout Settings) throws -> Void {
        var members = try Members(json, at: pointer)
        let zone = members.string("timeZone") { text in
            Zone(name: text) == nil
                ? .failure(MemberFault(.invalidValue, "must be an IANA name, such as Asia/Seoul.")) : .success(text)
        }
        let locale = members.choice("locale", Language.allCases.map(\.rawValue)) { Language(rawValue: $0)?.rawValue }
        let custom = members.read("custom") { json -> Result<JSON, MemberFault> in
            guard json.objectMembers != nil else { return .failure(MemberFault(.invalidType, "must be an object.")) }
            return json.holdsNUL ? .failure(MemberFault(.controlCharacter)) : .success(json)
        }
        let faults = members.finished(ignoring: ["revision", "id"])
        // Only the rule, which has the stored object, knows whether the patched one is too long; it reports the faults.
        guard faults.isEmpty || custom.value != nil else { throw BoardError.invalid(faults) }
        return { settings in
            var faults = faults
            if zone.isGiven { settings.timeZone = zone.value }
            if locale.isGiven { settings.locale = locale.value }
            switch custom {
            case .absent: break
            case .null: settings.custom = .object([])
            case .value(let patch):
                settings.custom = settings.custom.mergePatched(with: patch)
                if settings.custom.serialized().count > Settings.longestCustom {
                    faults.append(
                        Fault(
                            pointer: "\(pointer)/custom", code: .tooLong,
                            detail: "custom must have at most 16 KiB as JSON."))
                }
            }
            guard faults.isEmpty else { throw BoardError.invalid(faults) }
        }
    }
}

extension JSON {
    /// True when a string or a member name in it contains U+0000.
    fileprivate var holdsNUL: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let elements): elements.contains { $0.holdsNUL }
        case .object(let members): members.contains { $0.name.utf8.contains(0) || $0.value.holdsNUL }
        case .null, .bool, .number: false
        }
    }
}
