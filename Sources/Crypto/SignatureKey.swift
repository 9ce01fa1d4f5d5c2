#if canImport(Darwin)
    import CryptoKit
    import Foundation
    import Security
#else
    import CCrypto
#endif

/// A public key for verifying JSON Web Tokens (RFC 7518 §3.3, §3.4).
///
/// The key decides the algorithm, not the token: an RSA key verifies only RS256, so that no token can use the public
/// key as the secret of an HMAC.
package struct SignatureKey: Sendable {
    package enum Algorithm: String, Sendable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    package let algorithm: Algorithm
    private let key: Key

    /// Bits of an RSA modulus: shorter is weak (RFC 7518 §3.3), longer would only cost time.
    private static let rsaBits = 2048...8192

    /// - Parameters: big-endian integers, as `n` and `e` of a JSON Web Key (RFC 7518 §6.3.1).
    /// - Returns: `nil` unless they are an RSA key of 2048 to 8192 bits.
    package init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        // An even modulus or exponent is invalid; a long exponent makes verifying slow.
        guard Self.rsaBits.contains(bits), modulus.last.map({ $0 & 1 == 1 }) ?? false,
            (1...4).contains(exponent.count), exponent != [1], exponent.last.map({ $0 & 1 == 1 }) ?? false,
            let key = Key(rsa: DER.rsaPublicKey(modulus: modulus, exponent: exponent))
        else { return nil }
        algorithm = .rs256
        self.key = key
    }

    /// - Parameters: the coordinates of a point on P-256, 32 bytes each (RFC 7518 §6.2.1).
    /// - Returns: `nil` when there is no such point.
    package init?(p256X x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32, let key = Key(p256: x + y) else { return nil }
        algorithm = .es256
        self.key = key
    }

    /// True if the key made the signature of these bytes.
    package func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        switch algorithm {
        case .rs256: key.verifies(signature, of: bytes)
        // JOSE has r and s side by side (RFC 7518 §3.4); the libraries take DER.
        case .es256: signature.count == 64 && key.verifies(DER.ecdsaSignature(signature), of: bytes)
        }
    }

    #if canImport(Darwin)
        private final class Key: @unchecked Sendable {
            // Unchecked: SecKey is immutable, and its functions may be called on any thread.
            private let key: SecKey
            private let algorithm: SecKeyAlgorithm

            init?(rsa der: [UInt8]) {
                let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic]
                guard let key = SecKeyCreateWithData(Data(der) as CFData, attributes as CFDictionary, nil) else {
                    return nil
                }
                self.key = key
                algorithm = .rsaSignatureMessagePKCS1v15SHA256
            }

            init?(p256 point: [UInt8]) {
                let attributes = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
                ]
                let bytes = Data([4] + point) as CFData
                guard let key = SecKeyCreateWithData(bytes, attributes as CFDictionary, nil) else { return nil }
                self.key = key
                algorithm = .ecdsaSignatureMessageX962SHA256
            }

            func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
                SecKeyVerifySignature(key, algorithm, Data(bytes) as CFData, Data(signature) as CFData, nil)
            }
        }
    #else
        private final class Key: @unchecked Sendable {
            // Unchecked: the key is never changed, and libcrypto lets every thread verify with one key at the same time.
            private let key: OpaquePointer

            init?(rsa der: [UInt8]) {
                guard let key = Self.read(DER.subjectPublicKey(rsa: der)) else { return nil }
                self.key = key
            }

            init?(p256 point: [UInt8]) {
                // Fails for coordinates that are not on the curve.
                guard let key = Self.read(DER.subjectPublicKey(p256: point)) else { return nil }
                self.key = key
            }

            deinit {
                EVP_PKEY_free(key)
            }

            /// A SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
            private static func read(_ der: [UInt8]) -> OpaquePointer? {
                der.withUnsafeBufferPointer { buffer in
                    // libcrypto moves its copy of the pointer and keeps none.
                    var start = buffer.baseAddress
                    return d2i_PUBKEY(nil, &start, buffer.count)
                }
            }

            func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
                guard let context = EVP_MD_CTX_new() else { return false }
                defer {
                    EVP_MD_CTX_free(context)
                    // A wrong signature leaves entries in the thread's error queue, which TLS reads.
                    ERR_clear_error()
                }
                return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
                    && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
            }
        }
    #endif
}

/// The part of DER (X.690) that keys and signatures need.
enum DER {
    static func rsaPublicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        value(0x30, integer(modulus) + integer(exponent))
    }

    static func ecdsaSignature(_ sides: [UInt8]) -> [UInt8] {
        let half = sides.count / 2
        return value(0x30, integer(Array(sides[..<half])) + integer(Array(sides[half...])))
    }

    /// r and s of a signature on P-256, side by side: of ``ecdsaSignature(_:)`` the inverse.
    static func sides(ofECDSA signature: [UInt8]) -> [UInt8] {
        var sides: [UInt8] = []
        // Behind tag and length of the sequence. No part has 128 bytes, so each length is one byte.
        var rest = signature.dropFirst(2)
        for _ in 0..<2 {
            let count = Int(rest.dropFirst().first ?? 0)
            let digits = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
            sides += [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
            rest = rest.dropFirst(2 + count)
        }
        return sides
    }

    static func subjectPublicKey(rsa key: [UInt8]) -> [UInt8] {
        // rsaEncryption, with NULL for its parameters (RFC 3279 §2.3.1).
        let algorithm: [UInt8] = [
            0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return value(0x30, algorithm + value(0x03, [0] + key))
    }

    static func subjectPublicKey(p256 point: [UInt8]) -> [UInt8] {
        // id-ecPublicKey on prime256v1 (RFC 5480 §2.1.1).
        let algorithm: [UInt8] = [
            0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
            0x03, 0x01, 0x07,
        ]
        return value(0x30, algorithm + value(0x03, [0, 4] + point))
    }

    /// ECPrivateKey with the name of the curve (RFC 5915 §3).
    static func privateKey(p256 scalar: [UInt8], point: [UInt8]) -> [UInt8] {
        let curve: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        return value(
            0x30, [0x02, 1, 1] + value(0x04, scalar) + value(0xa0, curve) + value(0xa1, value(0x03, [0] + point)))
    }

    /// A positive integer, as short as it can be.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        guard let first = digits.first else { return [0x02, 1, 0] }
        return value(0x02, first >= 0x80 ? [0] + digits : Array(digits))
    }

    private static func value(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        let count = bytes.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
            }
        return [tag] + length + bytes
    }
}
