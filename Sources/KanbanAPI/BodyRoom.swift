import HTTP
import Locks

/// Memory for the bodies of large requests, shared by all: thirty imports of 60 MiB at a time would otherwise end a
/// small server. Bodies up to ``unnoticed`` bytes need no share; the limit of connections bounds them.
package final class BodyRoom: Sendable {
    /// A part of the room, given back with the last reference to it.
    final class Share: Sendable {
        private let room: BodyRoom
        private let bytes: Int

        fileprivate init(of room: BodyRoom, bytes: Int) {
            self.room = room
            self.bytes = bytes
        }

        deinit {
            room.free.withLock { $0 += bytes }
        }
    }

    private static let unnoticed = 1 << 20

    private let free: Locked<Int>

    /// - Parameter bytes: at least as many as the largest body may have, or it would never be taken.
    package init(bytes: Int = 192 << 20) {
        free = Locked(bytes)
    }

    /// Room for the body that is announced, of which nothing has been read yet.
    /// - Parameter limit: bytes that it may have at most, when it does not say how many it has.
    /// - Returns: `nil` for a small one.
    /// - Throws: a 503 problem when others have it all.
    func share(for head: Request, limit: Int) throws(Problem) -> Share? {
        guard limit > Self.unnoticed else { return nil }
        let declared = head.headers.bytes("content-length").flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        let bytes = head.headers.has("transfer-encoding") ? limit : min(limit, declared ?? 0)
        guard bytes > Self.unnoticed else { return nil }
        let hasRoom = free.withLock { free in
            guard free >= bytes else { return false }
            free -= bytes
            return true
        }
        guard hasRoom else {
            throw Problem(
                .unavailable, "Too many large requests are under way. Send this one again.",
                headers: [("Retry-After", "5")])
        }
        return Share(of: self, bytes: bytes)
    }
}
