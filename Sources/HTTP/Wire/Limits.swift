import Sockets

/// The limits of a server: sizes, times and counts.
package struct Limits: Sendable {
    /// Bytes of a head, from the request line to the empty line after the fields. Larger: 431. At most 64 KiB, which is
    /// what places in a head are counted in.
    package var headBytes = 16 * 1024
    /// Header fields, and trailer fields, of a request. More: 431.
    package var fieldCount = 100
    /// Bytes of a request target. Longer: 414.
    package var targetBytes = 8 * 1024
    /// Bytes of a method. Longer: 501.
    package var methodBytes = 32
    /// Empty lines before a request line. More: 400.
    package var emptyLines = 2
    /// Bytes of all chunk extensions of a body. More: 400.
    package var chunkExtensionBytes = 256
    /// Bytes of the trailer section of a chunked body. Larger: 431.
    package var trailerBytes = 16 * 1024
    /// Bytes of an unwanted body that are read to keep the connection open. More: it closes.
    package var drainBytes = 256 * 1024
    /// Bytes of answers to pipelined requests that are gathered before they are written.
    package var gatheredBytes = 64 * 1024

    /// From the first byte of a head to its last; on a new connection from its beginning, the handshake of TLS included.
    /// Longer: 408.
    package var headTime = Duration.seconds(10)
    /// Without a byte of a body that is still to come. Longer: 408.
    package var bodyIdleTime = Duration.seconds(30)
    /// Bytes a second that a body must make on the whole, once ``bodyIdleTime`` is over. Slower: 408.
    package var leastBodyRate = 256
    /// Without a request on a connection that is kept open.
    package var idleTime = Duration.seconds(75)
    /// Without the client taking a byte of the answer.
    package var writeTime = Duration.seconds(30)
    /// After an error, how long further bytes of the client are read and discarded, so that it sees the answer instead of
    /// a reset.
    package var lingerTime = Duration.seconds(2)

    /// Connections at once. Beyond it a new one is answered 503 and closed.
    package var connections = 16_384
    /// Connections at once from one address, `nil` for any number. Beyond it a new one is answered 503 and closed.
    package var connectionsPerAddress: Int?
    /// True of addresses from which many clients come, as that of a proxy: ``connectionsPerAddress`` is not for these.
    package var isShared: @Sendable (SocketAddress) -> Bool = { _ in false }
    /// Connections beyond these that are answered 503 at the same time. Further ones are closed without an answer.
    package var refusedAtOnce = 256

    /// Bytes held for all clients together: bodies being read, answers not yet taken. See ``MemoryBudget``.
    package var heldBytes = 256 << 20
    /// Bytes of these for one account, or for one address without an account.
    package var heldBytesPerClient = 32 << 20
    /// Without a byte from or to a client, before its connection may be ended to make room for others.
    package var evictionTime = Duration.milliseconds(500)

    package init() {}
}

/// The limits of a server, by reference: each connection would otherwise hold a copy.
final class SharedLimits: Sendable {
    let limits: Limits
    let times: Times

    init(_ limits: Limits) {
        self.limits = limits
        times = Times(limits)
    }
}
