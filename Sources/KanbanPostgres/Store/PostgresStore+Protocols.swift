import Kanban
import KanbanAccess

extension PostgresStore: VersionCheckingStore {
    /// Other servers write, too.
    package var local: (any LocalStore)? { nil }
}

extension PostgresStore: AccessStore {
    package var localAccess: (any LocalAccessStore)? { nil }
}
