#if !canImport(Darwin)
    import Foundation
    import HTTP
    import Sockets
    import TestSupport
    import Testing

    @testable import TLS

    struct TLSTests {
        @Test(arguments: [["--tlsv1.2", "--tls-max", "1.2"], ["--tlsv1.3"]])
        func `both versions of today carry a request, with the certificate checked`(version: [String]) throws {
            let server = try TLSServer()

            let answer = try server.curl("/hello?x=1", version)

            #expect(answer.output == "GET /hello?x=1 0\n", "\(answer.errors)")
        }

        @Test func `TLS 1 1 is refused`() throws {
            let server = try TLSServer()

            let old = try server.openssl(["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"])

            #expect(old.output.contains("Cipher is (NONE)"))
        }

        @Test func `a handshake that stalls has as long as a head`() throws {
            var limits = Limits()
            limits.headTime = .milliseconds(200)
            limits.idleTime = .seconds(600)
            let server = try TLSServer(limits: limits)

            #expect(try server.endsStalledHandshake())
        }

        @Test func `large bodies go both ways whole`() throws {
            let server = try TLSServer()
            let file = server.directory.file("body")
            try Data(repeating: 0x62, count: 6_000_000).write(to: URL(filePath: file))

            let down = try server.curl("/large", ["--output", "/dev/null", "--write-out", "%{size_download}"])
            let up = try server.curl("/up", ["--data-binary", "@" + file, "-H", "Content-Type: text/plain"])

            #expect(down.output == "5000000", "\(down.errors)")
            #expect(up.output == "POST /up 6000000\n", "\(up.errors)")
        }

        @Test func `many requests share a connection`() throws {
            let server = try TLSServer()

            let answer = try server.curl("/[1-50]", ["--write-out", "new: %{num_connects}\n"])

            let lines = answer.output.split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix("GET /") }.count == 50)
            #expect(lines.filter { $0 == "new: 1" }.count == 1)
            #expect(answer.errors.isEmpty)
        }

        @Test func `ALPN answers http 1 1, and refuses who wants only another`() throws {
            let server = try TLSServer()

            let agreed = try server.openssl(["-alpn", "h2,http/1.1"])
            let refused = try server.openssl(["-alpn", "h2"])

            #expect(agreed.output.contains("ALPN protocol: http/1.1"))
            #expect(refused.errors.contains("no application protocol"))
        }

        @Test func `openssl's client is content with the handshake, the answer and the end`() throws {
            let server = try TLSServer()

            let answer = try server.openssl(
                ["-quiet", "-verify_return_error"],
                sending: "GET /by-hand HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

            #expect(answer.status == .exited(0), "\(answer.errors)")
            #expect(answer.output.hasSuffix("GET /by-hand 0\n"))
            #expect(!answer.errors.contains("unexpected eof"))
        }

        @Test func `plain HTTP on the port gets no answer and does no harm`() throws {
            let server = try TLSServer()

            let plain = try server.curl("/", ["--next", "http://127.0.0.1:\(server.address.port)/"])

            #expect(plain.status != .exited(0))
            #expect(try server.curl("/after").output == "GET /after 0\n")
        }

        @Test func `after a reload new connections get the new certificate`() throws {
            let server = try TLSServer()
            let before = try server.openssl().output
            try TLSServer.makeCertificate(in: server.directory, name: "second.example.org")

            try server.context.reload()

            let after = try server.openssl().output
            #expect(before.contains("first.example.org"))
            #expect(after.contains("second.example.org"))
            #expect(try server.curl("/").output == "GET / 0\n")
        }

        @Test func `a reload that fails keeps the old certificate`() throws {
            let server = try TLSServer()
            let good = try Data(contentsOf: URL(filePath: server.certificate))
            try Data("no certificate".utf8).write(to: URL(filePath: server.certificate))

            #expect(throws: TLSError.self) { try server.context.reload() }

            try good.write(to: URL(filePath: server.certificate))
            #expect(try server.curl("/").output == "GET / 0\n")
        }

        @Test func `a key that needs a pass phrase is refused, and nobody is asked for it`() throws {
            let server = try TLSServer()
            let key = server.directory.file("encrypted.pem")
            try TLSServer.encrypt(server.directory.file("key.pem"), to: key)

            let refused = #expect(throws: TLSError.self) { try TLSContext(certificate: server.certificate, key: key) }

            #expect(refused?.description.contains("needs no pass phrase") == true)
        }

        @Test func `files that are missing and files that do not belong together have errors of their own`() throws {
            let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
            try TLSServer.makeCertificate(in: one, name: "one.example.org")
            try TLSServer.makeCertificate(in: other, name: "other.example.org")

            let missing = #expect(throws: TLSError.self) {
                try TLSContext(certificate: one.file("none.pem"), key: one.file("key.pem"))
            }
            let swapped = #expect(throws: TLSError.self) {
                try TLSContext(certificate: one.file("key.pem"), key: one.file("key.pem"))
            }
            let mixed = #expect(throws: TLSError.self) {
                try TLSContext(certificate: one.file("certificate.pem"), key: other.file("key.pem"))
            }

            #expect(missing?.description.hasSuffix("No such file or directory") == true)
            #expect(swapped?.description.contains("holds no certificate") == true)
            #expect(mixed?.description.contains(other.path) == true)
        }
    }
#endif
