import Kanban

/// A key of an answer that is kept for repeated requests.
struct AnswerKey: Hashable {
    var account: AccountKey
    var text: String
}

/// A mutation of an account, whose result is kept for repeated pushes.
struct MutationKey: Hashable {
    var account: AccountKey
    var id: ID
}
