import HTTP
import Kanban
import Locks

/// Memory for the bodies of large requests, shared by all: thirty imports of 60 MiB at a time would otherwise end a
/// small server. Bodies up to ``unnoticed`` bytes need no share; the limit of connections bounds them.
/// One account has at most half of it, or one body, so that it does not keep all others out by sending slowly.
package final class BodyRoom: Sendable {
    /// A part of the room, given back with the last reference to it.
    final class Share: Sendable {
        private let room: BodyRoom
        private let bytes: Int
        private let account: AccountKey

        fileprivate init(of room: BodyRoom, bytes: Int, account: AccountKey) {
            self.room = room
            self.bytes = bytes
            self.account = account
        }

        deinit {
            room.taken.withLock { taken in
                let rest = (taken[account] ?? 0) - bytes
                taken[account] = rest > 0 ? rest : nil
            }
        }
    }

    private static let unnoticed = 1 << 20

    private let size: Int
    /// Bytes by account.
    private let taken = Locked<[AccountKey: Int]>([:])

    /// - Parameter bytes: at least as many as the largest body may have, or it would never be taken.
    package init(bytes: Int = 192 << 20) {
        size = bytes
    }

    /// Room for the body that is announced, of which nothing has been read yet.
    /// - Parameter limit: bytes that it may have at most, when it does not say how many it has.
    /// - Returns: `nil` for a small one.
    /// - Throws: a 503 problem when others have it all, or the account its part.
    func share(for head: Request, of account: AccountKey, limit: Int) throws(Problem) -> Share? {
        guard limit > Self.unnoticed else { return nil }
        let declared = head.headers.bytes("content-length").flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        let bytes = head.headers.has("transfer-encoding") ? limit : min(limit, declared ?? 0)
        guard bytes > Self.unnoticed else { return nil }
        let hasRoom = taken.withLock { taken in
            let own = taken[account] ?? 0
            guard taken.values.reduce(bytes, +) <= size, own == 0 || own + bytes <= size / 2 else { return false }
            taken[account] = own + bytes
            return true
        }
        guard hasRoom else {
            throw Problem(
                .unavailable, "Too many large requests are under way. Send this one again.",
                headers: [("Retry-After", "5")])
        }
        return Share(of: self, bytes: bytes, account: account)
    }
}
