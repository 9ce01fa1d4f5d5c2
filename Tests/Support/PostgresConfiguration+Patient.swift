import Kanban

@testable import KanbanPostgres

extension PostgresConfiguration {
    /// Of a test: the clock is the test's, and nothing fails because the machine is busy.
    package static func patient(target: String, clock: @escaping @Sendable () -> Timestamp) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(target: target, clock: clock)
        configuration.datesByClock = true
        configuration.readers = 2
        configuration.patience = .seconds(60)
        configuration.versionCheckPatience = .seconds(60)
        configuration.versionCheckTime = 60_000
        return configuration
    }
}
