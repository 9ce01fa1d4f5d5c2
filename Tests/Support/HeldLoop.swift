import Foundation
import Sockets

extension EventLoop {
    /// Keeps the loop from everything else while the body runs: what the body does on another thread is done before the
    /// loop looks. Must not be called on the loop.
    package func hold<Result>(_ body: () throws -> Result) rethrows -> Result {
        let isHeld = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        execute {
            isHeld.signal()
            mayGoOn.wait()
        }
        isHeld.wait()
        defer { mayGoOn.signal() }
        return try body()
    }
}
