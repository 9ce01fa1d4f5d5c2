import Locks

extension BoardCore {
    /// Has the system tell of paths while the board is started.
    func watchPath(_ isOn: Bool) {
        guard let watch = dependencies.watchPath, !replica.isReadOnly else { return }
        let old = pathWatch.withLock { known -> (any Sendable)? in
            guard isOn != (known != nil) else { return nil }
            defer { known = isOn ? watch { [weak self] in self?.tell(.pathChanged) } : nil }
            return known
        }
        // Ended outside the lock.
        withExtendedLifetime(old) {}
    }
}
