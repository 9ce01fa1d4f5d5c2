/// The rules of settings.
extension BoardWriter {
    /// Edits the settings and returns them. Changes nothing when no member changes.
    package func updateSettings(
        if precondition: Precondition = .none, _ edit: (inout Settings) throws -> Void
    ) throws -> Settings {
        let old = try settings()
        try precondition.check(old.revision, current: .settings(old))
        var settings = old
        try edit(&settings)
        guard !settings.isSpelled(like: old) else { return old }
        try record(&settings, since: old)
        try save(settings)
        return settings
    }
}
