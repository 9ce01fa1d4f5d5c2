import Foundation

#if canImport(Darwin)
    import CryptoKit
#else
    import CCrypto
#endif

/// A private key on P-256, which signs JSON Web Tokens with ES256 (RFC 7518 §3.4).
package struct PrivateSignatureKey: Sendable {
    package enum Fault: Error, Hashable {
        /// The text is no private key in PEM without a password (PKCS #8, RFC 5958).
        case unreadable
        /// It is a key of another kind.
        case notP256
    }

    private let key: Key

    /// - Parameter pem: the text of a file that begins with `-----BEGIN PRIVATE KEY-----`.
    package init(pem: String) throws(Fault) {
        guard let der = Self.der(inPEM: pem) else { throw .unreadable }
        key = try Key(der)
    }

    /// - Parameter der: of ``AgreementKey/der``.
    package init(der: [UInt8]) throws(Fault) {
        key = try Key(der)
    }

    /// The signature as JOSE writes it: r and s, 32 bytes each.
    package func signature(of bytes: [UInt8]) -> [UInt8] {
        key.signature(of: bytes)
    }

    /// The bytes between the lines of RFC 7468; `nil` unless they are those of a private key. libcrypto's own reader would ask
    /// the terminal for a password.
    static func der(inPEM text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let first = lines.firstIndex(of: "-----BEGIN PRIVATE KEY-----"),
            let last = lines[first...].firstIndex(of: "-----END PRIVATE KEY-----"),
            let data = Data(base64Encoded: lines[(first + 1)..<last].joined()), !data.isEmpty
        else { return nil }
        return [UInt8](data)
    }

    #if canImport(Darwin)
        private struct Key: Sendable {
            private let key: P256.Signing.PrivateKey

            init(_ der: [UInt8]) throws(Fault) {
                do {
                    key = try P256.Signing.PrivateKey(derRepresentation: Data(der))
                } catch {
                    throw .notP256
                }
            }

            func signature(of bytes: [UInt8]) -> [UInt8] {
                do {
                    return Array(try key.signature(for: Data(bytes)).rawRepresentation)
                } catch {
                    fatalError("CryptoKit cannot sign: \(error)")
                }
            }
        }
    #else
        private final class Key: @unchecked Sendable {
            // Unchecked: the key is never changed, and libcrypto lets every thread sign with one key at the same time.
            private let key: OpaquePointer

            init(_ der: [UInt8]) throws(Fault) {
                // A failure leaves entries in the thread's error queue, which TLS reads.
                defer { ERR_clear_error() }
                let key = der.withUnsafeBufferPointer { buffer in
                    // libcrypto moves its copy of the pointer and keeps none.
                    var start = buffer.baseAddress
                    return d2i_AutoPrivateKey(nil, &start, buffer.count)
                }
                guard let key else { throw .unreadable }
                guard Self.isOnP256(key) else {
                    EVP_PKEY_free(key)
                    throw .notP256
                }
                self.key = key
            }

            deinit {
                EVP_PKEY_free(key)
            }

            private static func isOnP256(_ key: OpaquePointer) -> Bool {
                guard EVP_PKEY_get_id(key) == EVP_PKEY_EC else { return false }
                var name = [CChar](repeating: 0, count: 64)
                guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return false }
                return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                    == "prime256v1"
            }

            func signature(of bytes: [UInt8]) -> [UInt8] {
                guard let context = EVP_MD_CTX_new() else { fatalError("libcrypto cannot sign: out of memory") }
                defer { EVP_MD_CTX_free(context) }
                // A signature on P-256 has at most 72 bytes.
                var signature = [UInt8](repeating: 0, count: 128)
                var count = signature.count
                guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
                    EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
                else { fatalError("libcrypto cannot sign") }
                return DER.sides(ofECDSA: Array(signature.prefix(count)))
            }
        }
    #endif
}
