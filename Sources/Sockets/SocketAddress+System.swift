#if canImport(Darwin)
    import Darwin
#else
    import CEpoll
    import Glibc
#endif

/// An address in the kernel's form.
struct SystemAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    var family: Int32 { Int32(storage.ss_family) }

    /// Passes the address to a system call, which may write it.
    mutating func withPointer(_ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32) -> Int32 {
        // Unsafe: every sockaddr begins with its family and is no longer than the storage, by definition.
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }

    /// Resolves the host: a numeric address, or a name that the system knows.
    static func resolve(_ address: SocketAddress) throws(SystemError) -> SystemAddress {
        var hints = addrinfo()
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let first = list else {
            throw SystemError(call: "getaddrinfo \(address.host)", code: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(first) }
        var resolved = SystemAddress()
        resolved.length = min(first.pointee.ai_addrlen, resolved.length)
        // Unsafe: getaddrinfo returns the number of bytes, and at most the size of the storage is copied.
        withUnsafeMutableBytes(of: &resolved.storage) { storage in
            storage.copyMemory(
                from: UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(resolved.length)))
        }
        return resolved
    }
}

extension SocketAddress {
    /// Reads the kernel's form. `nil` for an address family other than IPv4 and IPv6.
    init?(_ system: SystemAddress) {
        let text: String
        let port: UInt16
        // Unsafe: the family tells which of the two structures the bytes are.
        switch system.family {
        case AF_INET:
            var address = withUnsafeBytes(of: system.storage) { $0.load(as: sockaddr_in.self) }
            guard let known = Self.text(AF_INET, &address.sin_addr) else { return nil }
            (text, port) = (known, address.sin_port)
        case AF_INET6:
            var address = withUnsafeBytes(of: system.storage) { $0.load(as: sockaddr_in6.self) }
            guard let known = Self.text(AF_INET6, &address.sin6_addr) else { return nil }
            (text, port) = (known, address.sin6_port)
        default:
            return nil
        }
        self.init(host: text, port: UInt16(bigEndian: port))
    }

    /// A numeric address, with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`; the
    /// host is normalized to the kernel's spelling. `nil` for anything else.
    package init?(numeric text: String) {
        var host = text[...]
        var port: Substring?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[..<end].dropFirst()
            port = text[end...].dropFirst()
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[colon...]
        }
        let number = port.map { $0.isEmpty ? 0 : $0.first == ":" ? UInt16($0.dropFirst()) : nil } ?? 0
        let family = host.contains(":") ? AF_INET6 : AF_INET
        // The longer of the two sizes is enough for both.
        var address = in6_addr()
        guard let number, inet_pton(family, String(host), &address) == 1, let known = Self.text(family, &address) else {
            return nil
        }
        self.init(host: known, port: number)
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            inet_ntop(family, address, buffer.baseAddress, 64).map { String(cString: $0) }
        }
    }
}
