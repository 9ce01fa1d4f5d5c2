/// The size of an account's data, as quotas count it.
package struct Usage: Hashable, Sendable {
    /// Bytes of texts and images, and a fixed amount for each row.
    package var bytes: Int64
    /// Tasks, including those in the trash.
    package var tasks: Int64

    package init(bytes: Int64 = 0, tasks: Int64 = 0) {
        self.bytes = bytes
        self.tasks = tasks
    }
}

/// The limits of an account's data.
package struct Quota: Hashable, Sendable {
    package var bytes: Int64
    package var tasks: Int64

    package static let standard = Quota(bytes: 256 << 20, tasks: 100_000)

    package init(bytes: Int64, tasks: Int64) {
        self.bytes = bytes
        self.tasks = tasks
    }

    /// The part of the limit that content leaves free, for what a change writes beside it: its line of history and its kept
    /// result. So a client whose account is full can still delete through a push.
    package var reserve: Int64 { min(bytes / 16, 512 << 10) }
}

/// Limits that an operator set for one account.
package struct OwnLimits: Hashable, Sendable {
    /// `nil`: the server's.
    package var bytes: Int64?
    /// `nil`: the server's.
    package var tasks: Int64?

    package init(bytes: Int64? = nil, tasks: Int64? = nil) {
        self.bytes = bytes
        self.tasks = tasks
    }

    /// Those of an account that signed up on a server with mail and has not proven its address. They end with the proof; those
    /// that an operator sets instead stay.
    package static let unproven = OwnLimits(bytes: 4 << 20, tasks: 2_000)

    /// The limits of the account on a server with these defaults.
    package func over(_ quota: Quota) -> Quota {
        Quota(bytes: bytes ?? quota.bytes, tasks: tasks ?? quota.tasks)
    }
}

/// A limit of a quota.
package enum QuotaLimit: Hashable, Sendable {
    case bytes(Int64)
    case tasks(Int64)
}
