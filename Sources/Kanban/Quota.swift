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

    /// Bytes beyond the limit for kept results of mutations alone, so that a client whose account is full can still
    /// delete through a push.
    package var reserve: Int64 { bytes / 16 }
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
