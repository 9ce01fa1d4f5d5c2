/// The ways in which a request can break a rule of the board. Expected outcomes, not failures.
package enum BoardError: Error, Hashable, Sendable {
    /// The resource does not exist, or is in the trash.
    case notFound(ResourceType)
    /// The id was used before, by an existing or deleted resource.
    case alreadyExists(ResourceType)
    /// The resource was deleted; a task may be restored first.
    case deleted(ResourceType)
    /// A precondition on the revision failed; `current` is the current resource.
    case stale(current: Change.Value?)
    /// Another category has this name, regardless of case.
    case nameTaken(by: ID)
    /// Every fault of the value, in the order of its members.
    case invalid([Fault])

    /// The member `image` names an image that the account does not have.
    package static let unknownImage = invalid(
        "#/image", .unknownImage, "There is no image with this id. PUT it first.")

    package static func invalid(_ pointer: String, _ code: Fault.Code, _ detail: String) -> BoardError {
        .invalid([Fault(pointer: pointer, code: code, detail: detail)])
    }
}

/// One fault of a value that a client sent.
package struct Fault: Hashable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case invalidType = "invalid_type"
        case unknownMember = "unknown_member"
        case required
        case blank
        case tooShort = "too_short"
        case tooLong = "too_long"
        case controlCharacter = "control_character"
        case invalidFormat = "invalid_format"
        case invalidValue = "invalid_value"
        case unknownCategory = "unknown_category"
        case unknownNeighbour = "unknown_neighbour"
        case unknownImage = "unknown_image"
        case idMismatch = "id_mismatch"
        case mutuallyExclusive = "mutually_exclusive"
        case tooMany = "too_many"
        case idempotencyKeyReused = "idempotency_key_reused"
        case rolledBack = "rolled_back"
        case codeInvalid = "code_invalid"
        case unknownProvider = "unknown_provider"
        case invalidRecurrence = "invalid_recurrence"
        case recurrenceWithoutDue = "recurrence_without_due"
        case invalidReminder = "invalid_reminder"
        case unknownPushService = "unknown_push_service"
    }

    /// `#` and a JSON pointer (RFC 6901), not percent-encoded: `#/title`; `#` for the whole value.
    package var pointer: String
    package var code: Code
    /// What to change, in a sentence.
    package var detail: String
    /// The line of an imported document, counted from 1.
    package var line: Int?
    /// Its place in the list of a file of another system, counted from 1; `nil` where the line says it.
    package var row: Int?

    package init(pointer: String, code: Code, detail: String, line: Int? = nil, row: Int? = nil) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
        self.line = line
        self.row = row
    }

    /// The pointer to a member of the value at `parent`.
    package static func pointer(_ parent: String, _ member: String) -> String {
        "\(parent)/\(member.replacing("~", with: "~0").replacing("/", with: "~1"))"
    }
}
