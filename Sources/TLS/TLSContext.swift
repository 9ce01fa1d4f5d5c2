#if !canImport(Darwin)
    import CCrypto
    import Crypto
    import Glibc
    import Sockets
    import Locks
    import Turns

    /// The server's side of TLS: a certificate, its key, and the accepted parameters.
    ///
    /// TLS 1.2 and newer; for 1.2 only ciphers with forward secrecy and authenticated encryption. ALPN selects `http/1.1`
    /// (RFC 7301).
    package final class TLSContext: Sendable {
        /// Owns one reference to an `SSL_CTX`. libssl counts references atomically, and the context is not changed after it
        /// was made, so all loops may use it.
        private final class Shared: @unchecked Sendable {
            let pointer: OpaquePointer

            init(_ pointer: OpaquePointer) {
                self.pointer = pointer
            }

            deinit {
                SSL_CTX_free(pointer)
            }
        }

        private let certificate: String
        private let key: String
        private let current: Locked<Shared>
        /// A handshake takes 0.2 ms with a P-256 key and 5 ms with RSA 4,096. When the queue is full, the client with the
        /// most handshakes loses one.
        private let handshakes = Workers(NetworkQueue(capacity: 1024))

        /// - Parameters:
        ///   - certificate: a PEM file with the server's certificate, then its intermediate certificates.
        ///   - key: a PEM file with its private key, without a pass phrase.
        /// - Throws: ``TLSError`` when a file cannot be read or the two do not belong together.
        package init(certificate: String, key: String) throws(TLSError) {
            self.certificate = certificate
            self.key = key
            current = Locked(try Self.load(certificate, key))
            _ = Self.ignoredPipeSignal
        }

        /// Reads both files again. New connections get the new certificate; open ones keep theirs.
        /// - Throws: ``TLSError``; then nothing has changed.
        package func reload() throws(TLSError) {
            let fresh = try Self.load(certificate, key)
            current.withLock { $0 = fresh }
        }

        /// An encrypted connection over the socket.
        /// - Parameter client: the network address by which handshakes take turns.
        package func transport(
            over socket: consuming Socket, of client: String
        ) throws(TLSError) -> any Transport {
            // The connection takes its own reference, so the lock is held only until then.
            let shared = current.withLock { $0 }
            guard let connection = SSL_new(shared.pointer) else { throw TLSError(Self.reason("no TLS connection")) }
            guard SSL_set_fd(connection, socket.descriptor.number) == 1 else {
                SSL_free(connection)
                throw TLSError(Self.reason("no TLS connection"))
            }
            SSL_set_accept_state(connection)
            return TLSTransport(connection: connection, over: socket, of: client, handshakes: handshakes)
        }

        private static func load(_ certificate: String, _ key: String) throws(TLSError) -> Shared {
            ERR_clear_error()
            guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw TLSError(reason("libssl failed")) }
            let shared = Shared(pointer)
            // These are macros over SSL_CTX_ctrl, which Swift cannot import.
            SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
            SSL_CTX_ctrl(
                pointer, SSL_CTRL_MODE,
                Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS), nil
            )
            // A read returns after each record, also after one without application data: the transport counts these.
            SSL_CTX_ctrl(pointer, SSL_CTRL_CLEAR_MODE, Int(SSL_MODE_AUTO_RETRY), nil)
            // Accept an end without close_notify: HTTP messages carry their length.
            SSL_CTX_set_options(
                pointer,
                Option.noCompression | Option.noRenegotiation | Option.ignoreUnexpectedEnd
                    | Option.serverPreference)
            guard SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 else {
                throw TLSError(reason("libssl has no suitable cipher"))
            }
            SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
            // Otherwise libssl asks the terminal for the pass phrase of an encrypted key, and waits for ever.
            SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
            guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
                throw TLSError(reason("'\(certificate)' holds no certificate in PEM form that can be read"))
            }
            guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
                throw TLSError(reason("'\(key)' holds no private key in PEM form that needs no pass phrase and fits"))
            }
            guard SSL_CTX_check_private_key(pointer) == 1 else {
                throw TLSError(reason("the key of '\(key)' is not that of the certificate of '\(certificate)'"))
            }
            return shared
        }

        /// `SSL_OP_…` of <openssl/ssl.h>: casts, which Swift cannot import.
        private enum Option {
            static let ignoreUnexpectedEnd: UInt64 = 1 << 7
            static let noCompression: UInt64 = 1 << 17
            static let serverPreference: UInt64 = 1 << 22
            static let noRenegotiation: UInt64 = 1 << 30
        }

        /// libssl writes without MSG_NOSIGNAL: SIGPIPE is ignored, so that a closed connection is an error of the call.
        private static let ignoredPipeSignal: Void = {
            signal(SIGPIPE, SIG_IGN)
        }()

        /// The sentence with libssl's reason. Clears the thread's error queue.
        fileprivate static func reason(_ sentence: String) -> String {
            defer { ERR_clear_error() }
            // The first error is the cause; the later ones are consequences.
            let code = ERR_peek_error()
            guard code != 0 else { return sentence }
            // System errors are marked by a bit and have no reason in libssl.
            if code & systemError != 0 {
                return "\(sentence): \(String(cString: strerror(Int32(code & ~systemError))))"
            }
            return ERR_reason_error_string(code).map { "\(sentence): \(String(cString: $0))" } ?? sentence
        }

        /// `ERR_SYSTEM_FLAG` of <openssl/err.h>.
        private static let systemError: UInt = 1 << 31
    }

    /// `http/1.1` with its length in front, the form of ALPN. Never changed or freed: libssl keeps a pointer to it.
    nonisolated(unsafe) private let offeredProtocols: UnsafeBufferPointer<UInt8> = {
        let name = Array("http/1.1".utf8)
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.count + 1)
        _ = buffer.initialize(from: [UInt8(name.count)] + name)
        return UnsafeBufferPointer(buffer)
    }()

    /// Selects `http/1.1`; a client that offers only other protocols gets an alert and no connection (RFC 7301 §3.2).
    private func selectProtocol(
        _ connection: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ length: UnsafeMutablePointer<UInt8>?, _ wanted: UnsafePointer<UInt8>?, _ wantedLength: UInt32,
        _ argument: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let chosen else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        // libssl's signature takes a mutable pointer for bytes that it does not change.
        let answer = chosen.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 1) { out in
            SSL_select_next_proto(
                out, length, offeredProtocols.baseAddress, UInt32(offeredProtocols.count), wanted, wantedLength)
        }
        return answer == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
    }
#endif
