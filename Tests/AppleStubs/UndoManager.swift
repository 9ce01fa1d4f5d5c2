// Foundation's UndoManager, which Linux lacks. Does nothing.
@MainActor public final class UndoManager {
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping @MainActor (Target) -> Void
    ) {}
    public func removeAllActions(withTarget target: Any) {}
    public func setActionName(_ name: String) {}
}
