import Foundation

#if canImport(Glibc)
    import Glibc
    import CCrypto
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection that a stub server accepted, encrypted or not.
struct LoopbackConnection {
    let descriptor: Int32
    #if canImport(Glibc)
        private var context: OpaquePointer?
        private var secure: OpaquePointer?

        var isEncrypted: Bool { secure != nil }
    #else
        var isEncrypted: Bool { false }
    #endif

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Waits for the client's handshake.
    /// - Returns: false when there is none.
    mutating func encrypt(_ certificate: (chain: String, key: String)) -> Bool {
        #if canImport(Glibc)
            context = SSL_CTX_new(TLS_server_method())
            SSL_CTX_use_certificate_chain_file(context, certificate.chain)
            SSL_CTX_use_PrivateKey_file(context, certificate.key, SSL_FILETYPE_PEM)
            secure = SSL_new(context)
            SSL_set_fd(secure, descriptor)
            return SSL_accept(secure) == 1
        #else
            return false
        #endif
    }

    /// - Returns: how many bytes came; 0 or less at the end.
    func receive(_ piece: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            if let secure { return Int(SSL_read(secure, &piece, Int32(piece.count))) }
        #endif
        return recv(descriptor, &piece, piece.count, 0)
    }

    func send(_ bytes: [UInt8]) {
        #if canImport(Glibc)
            if let secure {
                SSL_write(secure, bytes, Int32(bytes.count))
                return
            }
        #endif
        LoopbackListener.send(bytes, descriptor)
    }

    func end() {
        #if canImport(Glibc)
            if let secure {
                SSL_shutdown(secure)
                SSL_free(secure)
            }
            if let context { SSL_CTX_free(context) }
        #endif
        close(descriptor)
    }
}
