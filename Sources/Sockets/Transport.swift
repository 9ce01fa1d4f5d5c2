/// The byte stream of a connection: a plain or an encrypted socket. For one loop's thread only.
///
/// It owns the socket and closes it at its end. Neither call blocks.
package protocol Transport: AnyObject {
    /// The descriptor to watch for readiness.
    var descriptor: Int32 { get }

    /// True if something comes before the first read, such as a handshake.
    var hasToOpen: Bool { get }

    /// Goes on with that, on a thread of its own where it takes long. Until it is done nothing but ``endWriting()`` is
    /// called.
    func open() async -> Opening

    /// - Parameter buffer: not empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult

    /// True if a read of fewer bytes than the buffer holds has emptied the transport, so that the next read can wait for
    /// readiness. True for plain sockets, which report every later arrival.
    var shortReadMeansEmpty: Bool { get }

    /// Writes as many bytes of both buffers as fit, in one call; the second may be empty. After `.wouldBlock` the caller
    /// passes the same bytes again, perhaps at another address.
    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult

    /// Closes the sending direction.
    func endWriting()
}

/// What came of opening a ``Transport``.
package enum Opening: Sendable, Equatable {
    case done
    /// Go on when the socket is ready for this.
    case blocked(Interest)
    case failed
}

/// A transport without encryption.
package final class PlainTransport: Transport {
    private let socket: Socket

    package init(_ socket: consuming Socket) {
        self.socket = socket
    }

    package var descriptor: Int32 { socket.descriptor.number }
    package var hasToOpen: Bool { false }
    package var shortReadMeansEmpty: Bool { true }

    package func open() async -> Opening { .done }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        socket.read(into: buffer)
    }

    package func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
        socket.write(first, second)
    }

    package func endWriting() {
        socket.endWriting()
    }
}
