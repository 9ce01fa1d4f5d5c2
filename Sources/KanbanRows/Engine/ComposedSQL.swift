/// The text of a statement that is put together once, from the columns of a table. Its address identifies it, as that of a
/// literal does; so keep it for as long as the program runs.
package final class ComposedSQL: Sendable {
    private let sqlite, postgres: String

    package init(_ text: (Dialect) -> String) {
        sqlite = text(.sqlite)
        postgres = text(.postgres)
    }

    /// The same text in every dialect.
    package convenience init(_ text: String) {
        self.init { _ in text }
    }

    package func text(in dialect: Dialect) -> String {
        dialect == .sqlite ? sqlite : postgres
    }

    /// What a connection keeps its statement under.
    package var key: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}
