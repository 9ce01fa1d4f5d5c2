#if !canImport(Darwin)
    import Foundation
    import HTTP
    import Sockets
    import TestSupport
    import Testing

    @testable import TLS

    /// An HTTPS server on a free port of the loopback address, with a certificate of its own.
    final class TLSServer: Sendable {
        let directory: TemporaryDirectory
        let context: TLSContext
        let group: EventLoopGroup
        let server: Server
        let address: SocketAddress

        var certificate: String { directory.file("certificate.pem") }

        /// Waits for longer than a busy machine may keep a test from going on.
        static let patient = {
            var limits = Limits()
            limits.headTime = .seconds(600)
            limits.bodyIdleTime = .seconds(600)
            limits.idleTime = .seconds(600)
            limits.writeTime = .seconds(600)
            return limits
        }()

        init(limits: Limits = patient) throws {
            let directory = try TemporaryDirectory()
            self.directory = directory
            try Self.makeCertificate(in: directory, name: "first.example.org")
            let context = try TLSContext(certificate: directory.file("certificate.pem"), key: directory.file("key.pem"))
            self.context = context
            group = try EventLoopGroup(count: 2)
            server = Server(group: group, limits: limits, responder: Echo()) { socket, peer in
                // A connection that cannot be made is refused.
                try? context.transport(over: socket, of: peer.network)
            }
            address = try server.start(SocketAddress(host: "127.0.0.1", port: 0))
        }

        deinit {
            group.shutDown()
        }

        /// A self-signed certificate and its key, by the openssl command.
        static func makeCertificate(in directory: TemporaryDirectory, name: String) throws {
            let made = try run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2",
                "-keyout", directory.file("key.pem"), "-out", directory.file("certificate.pem"),
            ])
            try #require(made.status == .exited(0), "\(made.errors)")
        }

        static func encrypt(_ key: String, to path: String) throws {
            let made = try run(["openssl", "ec", "-in", key, "-aes128", "-passout", "pass:x", "-out", path])
            try #require(made.status == .exited(0), "\(made.errors)")
        }

        /// Sends the beginning of a handshake before the server takes the connection, so that no time-out comes before it.
        /// - Returns: true if the server closes the connection in good order within a minute.
        func endsStalledHandshake() throws -> Bool {
            let descriptor = try group.loops[0].hold {
                let descriptor = try LoopbackListener.connect(to: Int(address.port))
                LoopbackListener.send([0x16, 0x03, 0x01], descriptor)
                return descriptor
            }
            defer { close(descriptor) }
            var time = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, 0) == 0
        }

        /// Calls with curl, which trusts the server's certificate alone.
        func curl(_ path: String, _ arguments: [String] = []) throws -> Ran {
            try Self.run(
                [
                    "curl", "--silent", "--show-error", "--max-time", "120", "--noproxy", "*", "--cacert", certificate,
                    "https://127.0.0.1:\(address.port)\(path)",
                ] + arguments)
        }

        /// Asks with openssl's client, which says all about the connection.
        func openssl(_ arguments: [String] = [], sending text: String = "") throws -> Ran {
            try Self.run(
                ["openssl", "s_client", "-connect", "127.0.0.1:\(address.port)", "-CAfile", certificate] + arguments,
                input: text)
        }

        struct Ran {
            var status: Ending
            var output: String
            var errors: String
        }

        private static func run(_ words: [String], input text: String = "") throws -> Ran {
            let ran = try ChildProcess.run(
                "/usr/bin/env", words, environment: ProcessInfo.processInfo.environment, input: text)
            return Ran(status: ran.ending, output: ran.output, errors: ran.errors)
        }
    }

    /// Answers with what was asked; `/large` with five megabytes.
    private final class Echo: Responder {
        func receive(_ head: Request, ready: ReadyAnswer) -> Reception {
            .read(bodyLimit: 10 << 20) { request in
                let body =
                    request.path == "/large"
                    ? [UInt8](repeating: 0x61, count: 5_000_000)
                    : Array("\(request.method.rawValue) \(request.target) \(request.body.count)\n".utf8)
                return Response(status: 200, contentType: "text/plain", body: .bytes(body))
            }
        }

        func answer(to error: WireError, head: Request?) -> Response {
            Response(status: error.status, body: .bytes(Array(error.detail.utf8)))
        }

        func finished(_ exchange: Exchange) {}
    }
#endif
