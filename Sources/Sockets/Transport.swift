/// What a connection reads from and writes to: a plain socket, or one that encrypts. Belongs to one loop's thread.
///
/// It owns the socket: its end closes it. Neither call blocks.
package protocol Transport: AnyObject {
    /// The descriptor to watch for readiness.
    var descriptor: Int32 { get }

    /// - Parameter buffer: not empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult

    /// Whether a read that brought less than the buffer holds has emptied the transport, so that the next one can wait
    /// for readiness. True for plain sockets, which report every later arrival.
    var shortReadMeansEmpty: Bool { get }

    /// Writes the beginning of the two stretches as if they were one; the second may be empty. After `.wouldBlock` the
    /// caller offers the same bytes again, if maybe at another address.
    func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult

    /// Tells the other side that nothing more will come.
    func endWriting()
}

/// The bytes as they are.
package final class PlainTransport: Transport {
    private let socket: Socket

    package init(_ socket: consuming Socket) {
        self.socket = socket
    }

    package var descriptor: Int32 { socket.descriptor.number }
    package var shortReadMeansEmpty: Bool { true }

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
