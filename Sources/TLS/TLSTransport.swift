#if !canImport(Darwin)
    import CCrypto
    import Crypto
    import Glibc
    import Sockets
    import Turns

    /// An encrypted connection. The handshake runs on another thread, because it takes too long for an event loop.
    final class TLSTransport: Transport {
        /// The most bytes of one TLS record (RFC 8446 §5.1).
        private static let recordSize = 16_384
        /// The most records that may come without application data between them: key updates, alerts, empty records.
        private static let mostIdleRecords = 32

        private let connection: OpaquePointer
        private let socket: Socket
        private let handshakes: Workers<NetworkQueue>
        /// The network address by which handshakes take turns.
        private let client: String
        /// The handshake is done. Before that libssl may run on the other thread.
        private var isOpen = false
        /// After a fatal error libssl must no longer be called.
        private var isBroken = false
        private var saidGoodbye = false
        /// Records that came since the last application data. libssl counts them up, on the thread that reads.
        private let idleRecords: UnsafeMutablePointer<Int>

        /// - Parameter connection: an `SSL` over the socket, which this transport owns.
        init(
            connection: OpaquePointer, over socket: consuming Socket, of client: String,
            handshakes: Workers<NetworkQueue>
        ) {
            self.connection = connection
            self.socket = socket
            self.client = client
            self.handshakes = handshakes
            // By pointer: libssl keeps it until `SSL_free`.
            idleRecords = .allocate(capacity: 1)
            idleRecords.initialize(to: 0)
            SSL_set_msg_callback(connection) { isWritten, _, type, _, _, _, count in
                guard isWritten == 0, type == SSL3_RT_HEADER else { return }
                count?.assumingMemoryBound(to: Int.self).pointee += 1
            }
            SSL_ctrl(connection, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, idleRecords)
        }

        deinit {
            sayGoodbye()
            SSL_free(connection)
            idleRecords.deallocate()
        }

        var descriptor: Int32 { socket.descriptor.number }

        var hasToOpen: Bool { !isOpen }

        func open() async -> Opening {
            let handshake = Handshake(connection: connection)
            do {
                let result = try await handshakes.run(for: NetworkQueue.Client(client)) { handshake.goOn() }
                if result == .done {
                    isOpen = true
                    // The records of the handshake do not count.
                    idleRecords.pointee = 0
                } else if result == .failed {
                    isBroken = true
                }
                return result
            } catch {
                isBroken = true
                return .failed
            }
        }

        /// A read returns at most one record; more may wait.
        var shortReadMeansEmpty: Bool { false }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
            guard !isBroken else { return .end }
            while true {
                let before = idleRecords.pointee
                var count = 0
                ERR_clear_error()
                let result = SSL_read_ex(connection, buffer.baseAddress, buffer.count, &count)
                if result == 1 {
                    idleRecords.pointee = 0
                    return .bytes(count)
                }
                let outcome = failure(result, "SSL_read")
                guard case .wouldBlock(.reading) = outcome, idleRecords.pointee > before else { return outcome }
                // A record without application data was read, and more may wait in the socket. Each costs the work of a
                // key, so a client that sends only these must not go on for ever.
                guard idleRecords.pointee <= Self.mostIdleRecords else {
                    isBroken = true
                    return .failed(SystemError(call: "SSL_read", code: EPROTO))
                }
            }
        }

        func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
            let total = first.count + second.count
            var sent = 0
            while sent < total {
                let result = writeRecord(first, second, from: sent)
                guard case .bytes(let count) = result else { return sent > 0 ? .bytes(sent) : result }
                sent += count
            }
            return .bytes(sent)
        }

        /// Writes one record of the bytes after the first `sent` of both buffers. The same bytes give the same record, which
        /// libssl requires in a retry after `.wouldBlock`.
        private func writeRecord(
            _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, from sent: Int
        ) -> IOResult {
            if sent >= first.count { return writeRecord(second[(sent - first.count)...]) }
            let head = first[sent...].prefix(Self.recordSize)
            let tail = second.prefix(Self.recordSize - head.count)
            guard !tail.isEmpty else { return writeRecord(first[sent...]) }
            // The head and body of an answer go into one record instead of two.
            return withUnsafeTemporaryAllocation(byteCount: head.count + tail.count, alignment: 1) { record in
                record.copyBytes(from: head)
                UnsafeMutableRawBufferPointer(rebasing: record[head.count...]).copyBytes(from: tail)
                return writeRecord(record[...])
            }
        }

        private func writeRecord(_ bytes: some Collection<UInt8>) -> IOResult {
            guard !isBroken else { return .failed(SystemError(call: "SSL_write", code: EPIPE)) }
            var count = 0
            ERR_clear_error()
            // The pointer lives for the call only.
            let result = bytes.prefix(Self.recordSize).withContiguousStorageIfAvailable { record in
                SSL_write_ex(connection, record.baseAddress, record.count, &count)
            }
            guard let result else { return .failed(SystemError(call: "SSL_write", code: EINVAL)) }
            return result == 1 ? .bytes(count) : failure(result, "SSL_write")
        }

        func endWriting() {
            sayGoodbye()
            socket.endWriting()
        }

        /// Sends the close_notify, once. Its result does not matter.
        private func sayGoodbye() {
            guard isOpen, !isBroken, !saidGoodbye else { return }
            saidGoodbye = true
            ERR_clear_error()
            _ = SSL_shutdown(connection)
        }

        private func failure(_ result: Int32, _ call: String) -> IOResult {
            let code = errno
            switch SSL_get_error(connection, result) {
            case SSL_ERROR_WANT_READ: return .wouldBlock(.reading)
            case SSL_ERROR_WANT_WRITE: return .wouldBlock(.writing)
            case SSL_ERROR_ZERO_RETURN: return .end
            case SSL_ERROR_SYSCALL:
                isBroken = true
                return code == 0 ? .end : .failed(SystemError(call: call, code: code))
            default:
                isBroken = true
                ERR_clear_error()
                return .failed(SystemError(call: call, code: EPROTO))
            }
        }
    }

    /// The part of a transport that runs on another thread.
    // Unchecked because until the handshake is done the transport leaves the connection to it, and waits for it.
    private struct Handshake: @unchecked Sendable {
        let connection: OpaquePointer

        func goOn() -> Opening {
            // The queue of errors belongs to the thread.
            ERR_clear_error()
            defer { ERR_clear_error() }
            let result = SSL_do_handshake(connection)
            if result == 1 { return .done }
            switch SSL_get_error(connection, result) {
            case SSL_ERROR_WANT_READ: return .blocked(.reading)
            case SSL_ERROR_WANT_WRITE: return .blocked(.writing)
            default: return .failed
            }
        }
    }
#endif
