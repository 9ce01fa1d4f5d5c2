#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `kanbase health`: asks a server whether it is ready, for containers, which have no `curl`.
struct HealthProbe {
    let configuration: Configuration

    /// - Throws: ``ExitCode/unavailable`` with what went wrong.
    func run() throws(Failure) {
        let descriptor = try connectedSocket()
        defer { close(descriptor) }
        // Of a server with a certificate, only check that it accepts connections: the probe does not know the name in
        // the certificate, and plain HTTP would fail.
        guard configuration.tlsCertificate == nil else { return }
        let request = Array("GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        // The buffers live for the calls only.
        guard request.withUnsafeBytes({ send(descriptor, $0.baseAddress, $0.count, Self.noSignal) }) == request.count
        else { throw unavailable("sending failed: \(describe(errno))") }
        var head = [UInt8](repeating: 0, count: 64)
        let count = head.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Self.waitForAll) }
        guard count > 0 else { throw unavailable("no answer") }
        let line = String(decoding: head.prefix(count).prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard line.hasPrefix("HTTP/1.1 200 ") else { throw unavailable("it answers \(line)") }
    }

    private var address: String {
        switch configuration.host {
        case "localhost", "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: configuration.host
        }
    }

    private func connectedSocket() throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Self.stream
        // A list of the system, which is freed below.
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(configuration.port), &hints, &found) == 0, let target = found?.pointee else {
            throw unavailable("it has no such address")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(target.ai_family, target.ai_socktype, target.ai_protocol)
        var timeout = timeval(tv_sec: 3, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        guard connect(descriptor, target.ai_addr, target.ai_addrlen) == 0 else {
            let error = errno
            close(descriptor)
            throw unavailable(describe(error))
        }
        return descriptor
    }

    private func unavailable(_ reason: String) -> Failure {
        Failure(.unavailable, "The server at \(address), port \(configuration.port), is not ready: \(reason).")
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
        private static let waitForAll = Int32(MSG_WAITALL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
        private static let waitForAll = MSG_WAITALL
    #endif
}
