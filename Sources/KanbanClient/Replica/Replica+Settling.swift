import Dispatch

extension Replica {
    /// Returns when the running transaction is over, and what ``setResting(_:)`` closes is closed.
    func settle() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }
}
