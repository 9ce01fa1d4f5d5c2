import JSON
import Kanban

extension Members {
    /// A recurrence, of which a patch may name some parts.
    mutating func recurrencePatch(_ name: String) -> Field<RecurrenceEdit> {
        object(name) { parts in
            RecurrenceEdit(
                rule: parts.rule().value,
                from: parts.choice("from", Recurrence.Start.allCases.map(\.rawValue), Recurrence.Start.init(rawValue:))
                    .patched(default: .due),
                timeZone: parts.zone("timeZone").edited)
        }
    }

    mutating func recurrence(_ name: String) -> Field<Recurrence> {
        object(name) { parts in
            let rule = parts.rule()
            parts.require("rule", rule)
            return RecurrenceEdit(
                rule: rule.value ?? "",
                from: parts.choice("from", Recurrence.Start.allCases.map(\.rawValue), Recurrence.Start.init(rawValue:))
                    .value, timeZone: parts.zone("timeZone").value
            ).applied(to: nil)
        }
    }

    private mutating func rule() -> Field<String> {
        let field = string("rule") { text -> Result<String, MemberFault> in
            do throws(RecurrenceFault) {
                _ = try RecurrenceRule(parsing: text)
                return .success(text)
            } catch {
                return .failure(MemberFault(.invalidRecurrence, "is wrong in \(error.part): \(error.detail)"))
            }
        }
        if case .null = field { fault("rule", .invalidType, "rule must be a string.") }
        return field
    }
}
