import Kanban

extension Fault.Code: ProblemKind {
    package var meaning: (status: Int, title: String, advice: String) {
        let (title, advice) = text
        return (422, title, advice)
    }

    private var text: (title: String, advice: String) {
        switch self {
        case .idempotencyKeyReused:
            ("Idempotency key reused", "This key came before with another request. Use a new key for a new request.")
        case .invalidType:
            ("Wrong type", "The member takes another type of JSON value.")
        case .unknownMember:
            ("Unknown member", "There is no member of this name. Look for a typing error.")
        case .required:
            ("Member missing", "The member must be given.")
        case .blank:
            ("Blank", "The text must not be empty or only white space.")
        case .tooShort:
            ("Too short", "The text has fewer characters than it must have.")
        case .tooLong:
            ("Too long", "The value is longer than it may be. Lengths are counted in Unicode code points.")
        case .controlCharacter:
            ("Control character", "The text must not contain NUL (U+0000).")
        case .invalidFormat:
            ("Invalid format", "The text does not have the form that the member takes.")
        case .invalidValue:
            ("Invalid value", "The member takes only certain values.")
        case .unknownCategory:
            ("Unknown category", "There is no category with this id. Make it first, or use categoryName.")
        case .unknownNeighbour:
            ("Unknown neighbour", "The neighbour of a move must be another task that exists or existed.")
        case .unknownImage:
            ("Unknown image", "There is no image with this id. PUT it to /images/{id} first.")
        case .idMismatch:
            ("Other id", "The id in the body must be that of the path, or be left out.")
        case .mutuallyExclusive:
            ("Not together", "Only one of these members may be given.")
        case .tooMany:
            ("Too many", "The account has as many of these as it may have, or the list is too long.")
        case .rolledBack:
            ("Rolled back", "Another mutation of the same atomic request failed; nothing was applied.")
        case .codeInvalid:
            ("Invalid code", "The code is wrong, used or too old. Ask for a new one.")
        case .unknownProvider:
            ("Unknown provider", "The server knows the providers that its operator named with --oidc.")
        case .invalidRecurrence:
            (
                "Invalid recurrence",
                "The rule is a part of RFC 5545: FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL, COUNT, WKST, and SKIP."
            )
        case .recurrenceWithoutDue:
            (
                "Recurrence without a due date",
                "A task that comes back has a due date. Give one, or take away the recurrence."
            )
        case .unknownPushService:
            (
                "Unknown push service",
                "The server asks the push services of Google, Mozilla, Apple and Microsoft, and those that its operator named with --web-push-service."
            )
        case .invalidReminder:
            (
                "Invalid reminder",
                "A task has at most 5 reminders: durations of RFC 5545 before the due time, such as -PT30M, of at most 30 days, or date-times with an offset."
            )
        }
    }
}
