/// The text of a statement that is put together once, from the columns of a table. Its address identifies it, as that of a
/// literal does; so keep it for as long as the program runs.
package final class ComposedSQL: Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// What a connection keeps its statement under.
    package var key: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}
