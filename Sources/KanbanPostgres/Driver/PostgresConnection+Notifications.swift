import CPostgres

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension PostgresConnection {
    /// Waits for notifications of the channels that this session listens to.
    /// - Returns: their payloads; none when the time was over.
    func notifications(within milliseconds: Int32) throws -> [String] {
        var payloads = takeNotifications()
        guard payloads.isEmpty else { return payloads }
        var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard systemPoll(&entry, milliseconds) > 0 else { return [] }
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        payloads = takeNotifications()
        return payloads
    }

    /// Lets what is sent up to the next wait be committed without waiting for the disk or a standby. It ends with that
    /// transaction, because behind a pooler others use the session, too.
    func relaxCommit() throws {
        try run("SELECT set_config('synchronous_commit', 'off', true)")
    }

    private func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }
}

/// Outside, where `poll` is the system's.
func systemPoll(_ entry: inout pollfd, _ timeout: Int32) -> Int32 {
    poll(&entry, 1, timeout)
}
