import Sockets

/// A body without an end, whose pieces come whenever something happens elsewhere: server-sent events.
///
/// While it has nothing to say it holds no task: the frames of one are most of what a silent stream would cost, and
/// resuming one costs as much as a small write. So it goes back and forth between two ways of working:
///
/// 1. ``produce(_:)`` runs on a task of the connection, and may wait: for the store, for a slow reader.
/// 2. At rest there is only this object. Its sources write with ``LiveConnection/writeNow(_:)``, which
///    does not wait, or has it produce again with ``LiveConnection/wake()``.
package protocol LiveBody: AnyObject, Sendable {
    /// Writes what there is. Runs on the connection's loop; is cancelled when the client is gone or the server ends.
    ///
    /// - Returns: true when that was all for now: then comes ``rest(on:)``. False when it has come to its end.
    /// - Throws: then the connection ends without the last chunk, so that the client sees that it was cut off.
    func produce(_ writer: any BodyWriter) async throws -> Bool

    /// Begins the rest. Called on the connection's loop.
    func rest(on connection: any LiveConnection)

    /// The rest is over: it was woken, the client left, or the server ends. Called on the connection's loop.
    func endRest()
}

/// The connection of a body at rest. What it has to do is called on its loop.
package protocol LiveConnection: AnyObject, Sendable {
    var loop: EventLoop { get }

    /// Writes a small piece without waiting.
    ///
    /// - Returns: false when the socket did not take all of it. The rest of it is kept, and goes out before anything else
    ///   once the body was woken, which has to be done then.
    func writeNow(_ bytes: [UInt8]) -> Bool

    /// Ends the rest, and has the body produce again. Without effect when it is not at rest.
    func wake()
}
