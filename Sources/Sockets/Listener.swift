#if canImport(Darwin)
    import Darwin
#else
    import CEpoll
    import Glibc
#endif

/// A listening socket. It is closed when the value ends.
package struct Listener: ~Copyable, Sendable {
    /// The result of one `accept`.
    package enum Accepted: ~Copyable {
        case connection(Socket, SocketAddress)
        /// No connection is waiting.
        case none
        /// This connection ended before it was accepted; try the next.
        case lost
        /// The process or the system is out of descriptors or memory: try again later.
        case exhausted(SystemError)
        /// The listening socket itself failed.
        case failed(SystemError)
    }

    package let descriptor: Descriptor
    /// With the port that the system chose for 0.
    package let address: SocketAddress

    /// Binds and listens. On `::` it accepts IPv4 connections, too.
    ///
    /// - Throws: ``SystemError``, for instance `bind` with `EADDRINUSE`.
    package init(on wanted: SocketAddress, backlog: Int32 = 4096) throws(SystemError) {
        var system = try SystemAddress.resolve(wanted)
        let number = try makeSocket(system.family)
        let descriptor = Descriptor(owning: number)
        try setOption(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if system.family == AF_INET6 { try setOption(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        try keepAlive(number)
        _ = try checked("bind \(wanted)") { system.withPointer { bind(number, $0, $1) } }
        _ = try checked("listen") { listen(number, backlog) }
        var bound = SystemAddress()
        _ = try checked("getsockname") { bound.withPointer { getsockname(number, $0, &$1) } }
        self.descriptor = descriptor
        self.address = SocketAddress(bound) ?? wanted
    }

    package func accept() -> Accepted {
        var system = SystemAddress()
        let number = system.withPointer { acceptWithoutBlocking(descriptor.number, $0, &$1) }
        guard number >= 0 else { return Self.failure(errno) }
        let socket = Socket(Descriptor(owning: number))
        guard let address = SocketAddress(system) else { return .lost }
        do throws(SystemError) {
            // Answers are written in one call, so waiting for more bytes would only delay them.
            try setOption(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            #if canImport(Darwin)
                try setOption(number, SOL_SOCKET, SO_NOSIGPIPE, 1)
            #endif
        } catch {
            return .lost
        }
        return .connection(socket, address)
    }

    private static func failure(_ code: Int32) -> Accepted {
        switch code {
        case EAGAIN, EWOULDBLOCK: .none
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted(SystemError(call: "accept", code: code))
        case EBADF, EINVAL, ENOTSOCK, EFAULT: .failed(SystemError(call: "accept", code: code))
        // ECONNABORTED, EINTR, EPERM of a firewall, and the network errors that Linux passes on (accept(2)).
        default: .lost
        }
    }
}

private func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
    var value = value
    _ = try checked("setsockopt") {
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// Enables keep-alive probes after two minutes without traffic; the kernel ends the connection when the peer does not
/// answer them for a minute. Accepted sockets inherit the options.
private func keepAlive(_ descriptor: Int32) throws(SystemError) {
    try setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    #if canImport(Darwin)
        try setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPALIVE, 120)
    #else
        try setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 120)
    #endif
    try setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 20)
    try setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
}

#if canImport(Darwin)
    private func makeSocket(_ family: Int32) throws(SystemError) -> Int32 {
        let number = try checked("socket") { socket(family, SOCK_STREAM, 0) }
        makeNonBlocking(number)
        return number
    }

    private func acceptWithoutBlocking(
        _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t
    ) -> Int32 {
        let number = accept(descriptor, address, &length)
        if number >= 0 { makeNonBlocking(number) }
        return number
    }

    private func makeNonBlocking(_ descriptor: Int32) {
        // Neither call fails on a new descriptor.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
#else
    private let nonBlocking = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    private func makeSocket(_ family: Int32) throws(SystemError) -> Int32 {
        try checked("socket") { socket(family, Int32(SOCK_STREAM.rawValue) | nonBlocking, 0) }
    }

    private func acceptWithoutBlocking(
        _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t
    ) -> Int32 {
        accept4(descriptor, address, &length, nonBlocking)
    }
#endif
