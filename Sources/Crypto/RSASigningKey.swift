import Foundation

#if canImport(Darwin)
    import Security
#else
    import CCrypto
#endif

/// A private RSA key, which signs JSON Web Tokens with RS256 (RFC 7518 §3.3), as Google asks of service accounts.
package struct RSASigningKey: Sendable {
    /// The text is no private RSA key of 2048 to 8192 bits in PEM without a password (PKCS #8, RFC 5958).
    package struct Unreadable: Error {}

    private static let bits = 2048...8192
    private let key: Key

    /// - Parameter pem: a text with a line `-----BEGIN PRIVATE KEY-----`.
    package init(pem: String) throws(Unreadable) {
        guard let der = PrivateSignatureKey.der(inPEM: pem), let key = Key(der) else { throw Unreadable() }
        self.key = key
    }

    /// - Throws: ``Unreadable`` for a key that cannot sign.
    package func signature(of bytes: [UInt8]) throws(Unreadable) -> [UInt8] {
        guard let signature = key.signature(of: bytes) else { throw Unreadable() }
        return signature
    }

    #if canImport(Darwin)
        private final class Key: @unchecked Sendable {
            // Unchecked: SecKey is immutable, and its functions may be called on any thread.
            private let key: SecKey

            private static let rsaEncryption: [UInt8] = [
                0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01,
            ]

            init?(_ der: [UInt8]) {
                let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
                // Security takes the inner key (RFC 8017 §A.1.2): it lies behind 26 bytes, the algorithm among them, in keys of
                // these lengths.
                guard der.dropFirst(9).starts(with: Self.rsaEncryption),
                    let key = SecKeyCreateWithData(
                        Data(der.dropFirst(26)) as CFData, attributes as CFDictionary, nil),
                    RSASigningKey.bits.contains(SecKeyGetBlockSize(key) * 8)
                else { return nil }
                self.key = key
            }

            func signature(of bytes: [UInt8]) -> [UInt8]? {
                SecKeyCreateSignature(key, .rsaSignatureMessagePKCS1v15SHA256, Data(bytes) as CFData, nil)
                    .map { [UInt8]($0 as Data) }
            }
        }
    #else
        private final class Key: @unchecked Sendable {
            // Unchecked: the key is never changed, and libcrypto lets every thread sign with one key at the same time.
            private let key: OpaquePointer

            init?(_ der: [UInt8]) {
                // A failure leaves entries in the thread's error queue, which TLS reads.
                defer { ERR_clear_error() }
                let key = der.withUnsafeBufferPointer { buffer in
                    // libcrypto moves its copy of the pointer and keeps none.
                    var start = buffer.baseAddress
                    return d2i_AutoPrivateKey(nil, &start, buffer.count)
                }
                guard let key else { return nil }
                guard EVP_PKEY_get_id(key) == EVP_PKEY_RSA,
                    RSASigningKey.bits.contains(Int(EVP_PKEY_get_bits(key)))
                else {
                    EVP_PKEY_free(key)
                    return nil
                }
                self.key = key
            }

            deinit {
                EVP_PKEY_free(key)
            }

            func signature(of bytes: [UInt8]) -> [UInt8]? {
                guard let context = EVP_MD_CTX_new() else { return nil }
                defer {
                    EVP_MD_CTX_free(context)
                    ERR_clear_error()
                }
                var signature = [UInt8](repeating: 0, count: RSASigningKey.bits.upperBound / 8)
                var count = signature.count
                guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
                    EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
                else { return nil }
                return Array(signature.prefix(count))
            }
        }
    #endif
}
