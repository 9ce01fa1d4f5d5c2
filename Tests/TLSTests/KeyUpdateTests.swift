#if !canImport(Darwin)
    import CCrypto
    import Foundation
    import HTTP
    import Sockets
    import TestSupport
    import Testing

    @testable import TLS

    @Suite(.timeLimit(.minutes(10)))
    struct KeyUpdateTests {
        /// A client of libssl over a blocking socket. After the server closed, its calls fail.
        private final class Client {
            private let context: OpaquePointer?
            private let connection: OpaquePointer?
            private let descriptor: Int32

            init(to server: TLSServer) throws {
                descriptor = try LoopbackListener.connect(to: Int(server.address.port))
                context = SSL_CTX_new(TLS_client_method())
                connection = SSL_new(context)
                SSL_set_fd(connection, descriptor)
                try #require(SSL_connect(connection) == 1)
            }

            deinit {
                SSL_free(connection)
                SSL_CTX_free(context)
                close(descriptor)
            }

            /// - Returns: false when it cannot be sent.
            func updateKey() -> Bool {
                ERR_clear_error()
                // SSL_KEY_UPDATE_NOT_REQUESTED
                return SSL_key_update(connection, 0) == 1 && SSL_do_handshake(connection) == 1
            }

            /// - Returns: the answer's beginning; empty when the server closed.
            func ask() -> String {
                ERR_clear_error()
                let request = Array("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
                guard SSL_write(connection, request, Int32(request.count)) > 0 else { return "" }
                var answer = [UInt8](repeating: 0, count: 4_096)
                let count = SSL_read(connection, &answer, Int32(answer.count))
                return String(decoding: answer.prefix(Int(max(0, count))), as: UTF8.self)
            }
        }

        @Test func `a client may update its keys between requests`() throws {
            let server = try TLSServer()
            let client = try Client(to: server)

            for _ in 0..<10 {
                for _ in 0..<20 { #expect(client.updateKey()) }
                #expect(client.ask().hasPrefix("HTTP/1.1 200"))
            }
        }

        @Test func `a client that sends nothing but key updates is cut off`() throws {
            let server = try TLSServer()
            let client = try Client(to: server)

            for _ in 0..<40 where !client.updateKey() { break }

            #expect(client.ask().isEmpty)
            #expect(try server.curl("/after").output == "GET /after 0\n")
        }
    }
#endif
