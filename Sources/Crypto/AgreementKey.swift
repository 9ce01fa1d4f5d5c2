import Foundation

#if canImport(Darwin)
    import CryptoKit
#else
    import CCrypto
#endif

/// A key pair on P-256, which agrees on secrets with other keys (ECDH).
package struct AgreementKey: Sendable {
    private let key: Key

    /// The public key: 4, and the coordinates of the point (SEC 1 §2.3.3).
    package let publicPoint: [UInt8]

    /// A new pair.
    package init() {
        key = Key()
        publicPoint = key.publicPoint
    }

    /// - Parameter der: what ``der`` was.
    /// - Returns: `nil` for anything but a private key on P-256.
    package init?(der: [UInt8]) {
        guard let key = Key(der) else { return nil }
        self.key = key
        publicPoint = key.publicPoint
        guard publicPoint.count == Self.pointLength else { return nil }
    }

    /// - Parameters:
    ///   - scalar: 32 bytes.
    ///   - point: as ``publicPoint``.
    package init?(scalar: [UInt8], point: [UInt8]) {
        self.init(der: DER.privateKey(p256: scalar, point: point))
    }

    package static let pointLength = 65

    /// The whole pair, to keep it (RFC 5915 or RFC 5208). ``PrivateSignatureKey`` reads it, too.
    package var der: [UInt8] { key.der }

    /// The secret that only the two pairs can compute.
    /// - Parameter point: the other's public key.
    /// - Returns: `nil` when that is no point of the curve.
    package func secret(with point: [UInt8]) -> [UInt8]? {
        guard point.count == Self.pointLength, point[0] == 4 else { return nil }
        return key.secret(with: point)
    }

    #if canImport(Darwin)
        private struct Key: Sendable {
            private let key: P256.KeyAgreement.PrivateKey

            init() { key = P256.KeyAgreement.PrivateKey() }

            init?(_ der: [UInt8]) {
                // `try?`: there is one thing to say of all that is no such key.
                guard let key = try? P256.KeyAgreement.PrivateKey(derRepresentation: Data(der)) else { return nil }
                self.key = key
            }

            var publicPoint: [UInt8] { [UInt8](key.publicKey.x963Representation) }
            var der: [UInt8] { [UInt8](key.derRepresentation) }

            func secret(with point: [UInt8]) -> [UInt8]? {
                // `try?`: as above.
                guard let other = try? P256.KeyAgreement.PublicKey(x963Representation: Data(point)),
                    let secret = try? key.sharedSecretFromKeyAgreement(with: other)
                else { return nil }
                return secret.withUnsafeBytes { [UInt8]($0) }
            }
        }
    #else
        private final class Key: @unchecked Sendable {
            // Unchecked: the key is never changed, and libcrypto lets every thread derive with one key at the same time.
            private let key: OpaquePointer

            init() {
                var made: OpaquePointer?
                let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
                defer { EVP_PKEY_CTX_free(context) }
                guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
                    EVP_PKEY_generate(context, &made) == 1, let made
                else { fatalError("libcrypto cannot make a key") }
                key = made
            }

            init?(_ der: [UInt8]) {
                // A failure leaves entries in the thread's error queue, which TLS reads.
                defer { ERR_clear_error() }
                let read = der.withUnsafeBufferPointer { buffer in
                    // libcrypto moves its copy of the pointer and keeps none.
                    var start = buffer.baseAddress
                    return d2i_AutoPrivateKey(nil, &start, buffer.count)
                }
                guard let read else { return nil }
                key = read
            }

            deinit {
                EVP_PKEY_free(key)
            }

            var publicPoint: [UInt8] {
                defer { ERR_clear_error() }
                var point = [UInt8](repeating: 0, count: 256)
                var count = 0
                guard EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, point.count, &count) == 1 else {
                    return []
                }
                return Array(point.prefix(count))
            }

            var der: [UInt8] {
                var der = [UInt8](repeating: 0, count: Int(max(0, i2d_PrivateKey(key, nil))))
                der.withUnsafeMutableBufferPointer { buffer in
                    var start = buffer.baseAddress
                    _ = i2d_PrivateKey(key, &start)
                }
                return der
            }

            func secret(with point: [UInt8]) -> [UInt8]? {
                defer { ERR_clear_error() }
                let other = DER.subjectPublicKey(p256: Array(point.dropFirst())).withUnsafeBufferPointer { buffer in
                    var start = buffer.baseAddress
                    return d2i_PUBKEY(nil, &start, buffer.count)
                }
                guard let other else { return nil }
                defer { EVP_PKEY_free(other) }
                guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
                defer { EVP_PKEY_CTX_free(context) }
                var secret = [UInt8](repeating: 0, count: 32)
                var count = secret.count
                guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
                    EVP_PKEY_derive(context, &secret, &count) == 1, count == secret.count
                else { return nil }
                return secret
            }
        }
    #endif
}
