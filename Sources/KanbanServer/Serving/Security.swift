import HTTP
import Sockets
import TLS

/// Encryption of connections, with its certificate.
struct Security: Sendable {
    #if !canImport(Darwin)
        private let context: TLSContext?
    #endif

    /// - Throws: ``ExitCode/configuration`` for a certificate or key that cannot be used.
    init(_ configuration: Configuration) throws(Failure) {
        #if canImport(Darwin)
            if configuration.tlsCertificate != nil {
                throw Failure(.configuration, "TLS is served on Linux only; on macOS put a proxy before Kanbase.")
            }
        #else
            guard let certificate = configuration.tlsCertificate, let key = configuration.tlsKey else {
                context = nil
                return
            }
            do {
                context = try TLSContext(certificate: certificate, key: key)
            } catch {
                throw Failure(.configuration, "TLS cannot be served: \(error).")
            }
        #endif
    }

    var scheme: String { isOn ? "https" : "http" }

    #if canImport(Darwin)
        var isOn: Bool { false }
        var transport: Server.MakeTransport { { socket, _ in PlainTransport(socket) } }

        /// Nothing to reload.
        func reload(_ log: Log) {}
    #else
        var isOn: Bool { context != nil }

        /// The transport of a new connection.
        var transport: Server.MakeTransport {
            guard let context else { return { socket, _ in PlainTransport(socket) } }
            return { socket, peer in
                // `try?`: it fails only without memory; then this connection is refused.
                try? context.transport(over: socket, of: peer.network)
            }
        }

        /// Reloads certificate and key; if they are invalid the old ones stay.
        func reload(_ log: Log) {
            guard let context else { return }
            do {
                try context.reload()
                log.info("certificate read again")
            } catch {
                log.error("the certificate cannot be used, the old one stays", ["error": "\(error)"])
            }
        }
    #endif
}
