import Sockets
import Synchronization

/// What the connections of one server on one loop share.
// Unchecked because all but the counts, which are atomic, is for the loop's thread only.
final class LoopContext: @unchecked Sendable {
    let loop: EventLoop
    let pool: BlockPool
    var date = HTTPDate()
    let ready: ReadyAnswer
    /// True if its connections have TLS.
    let isSecure: Bool
    /// Every open connection. Each adds and removes itself.
    var connections: [ObjectIdentifier: Connection] = [:]
    /// For choosing the loop of a new connection, from any thread; counts those on their way here too.
    let connectionCount = Atomic<Int>(0)
    let streamCount = Atomic<Int>(0)

    init(loop: EventLoop, limits: Limits, isSecure: Bool) {
        self.loop = loop
        self.isSecure = isSecure
        pool = BlockPool(blockSize: limits.headBytes + 4096)
        ready = ReadyAnswer(pool: pool)
    }
}
