/// A board inside a write transaction, as handlers see it: only the changes that the rules allow.
///
/// Each verb is a rule. It checks, then changes; a verb that throws a ``BoardError`` has written nothing. The rules are
/// in the files of their nouns, as extensions of ``BoardWriter``, whose raw writes are for the rules alone.
package protocol Board: BoardReader {
    // Tasks
    func createTask(id: ID?, title: String, _ edit: TaskEdit) throws -> TaskItem
    func putTask(
        _ id: ID, title: String, _ edit: TaskEdit, if precondition: Precondition
    ) throws -> (task: TaskItem, isNew: Bool)
    func updateTask(_ id: ID, _ edit: TaskEdit, if precondition: Precondition) throws -> TaskItem
    func moveTask(_ id: ID, _ move: TaskMove, if precondition: Precondition) throws -> TaskItem
    func skipTask(_ id: ID, _ skip: TaskSkip, if precondition: Precondition) throws -> TaskItem
    func removeTask(_ id: ID, if precondition: Precondition) throws
    func restoreTask(_ id: ID, at place: TaskMove.Place, if precondition: Precondition) throws -> TaskItem

    // Categories
    func createCategory(
        id: ID?, faultsAt pointer: String, _ edit: (inout Category) throws -> Void
    ) throws -> Category
    func putCategory(
        _ id: ID, if precondition: Precondition, _ edit: (inout Category) throws -> Void
    ) throws -> (category: Category, isNew: Bool)
    func updateCategory(
        _ id: ID, if precondition: Precondition, _ edit: (inout Category) throws -> Void
    ) throws -> Category
    func removeCategory(_ id: ID, if precondition: Precondition) throws
    func restoreCategory(_ id: ID, if precondition: Precondition) throws -> Category

    // D-days
    func createDDay(id: ID?, _ edit: (inout DDay) throws -> Void) throws -> DDay
    func putDDay(
        _ id: ID, if precondition: Precondition, _ edit: (inout DDay) throws -> Void
    ) throws -> (dday: DDay, isNew: Bool)
    func updateDDay(_ id: ID, if precondition: Precondition, _ edit: (inout DDay) throws -> Void) throws -> DDay
    func removeDDay(_ id: ID, if precondition: Precondition) throws
    func restoreDDay(_ id: ID, if precondition: Precondition) throws -> DDay

    // Images, settings
    func putImage(
        _ id: ID, _ content: ImageContent, if precondition: Precondition
    ) throws -> (image: Image, isNew: Bool)
    func removeImage(_ id: ID, if precondition: Precondition) throws
    func updateSettings(if precondition: Precondition, _ edit: (inout Settings) throws -> Void) throws -> Settings

    // Everything at once
    /// - Parameter onTask: gets the number of tasks that are done, after each.
    func importBoard(
        _ document: BoardDocument, mode: ImportMode, onTask: (Int) -> Void
    ) throws -> ImportReport
    func keepImport(_ record: ImportRecord) throws -> ID
    func takeBack(
        _ made: ArraySlice<ImportReport.Made>, of id: ID, isLast: Bool
    ) throws -> (removed: Int, kept: Int)?
    func push(
        known: Set<ID>, after progress: Push.Progress, encode: @escaping (ID, MutationResult) -> [UInt8]
    ) throws -> Push

    /// Keeps the first answer to a request with an `Idempotency-Key`.
    func keep(_ answer: KeptAnswer, key: String) throws
    /// Runs `body` so that a throw undoes what it did, and then rethrows.
    func nested<T>(_ body: () throws -> T) throws -> T
}
