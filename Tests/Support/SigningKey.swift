#if !canImport(Darwin)
    import CCrypto
    import Foundation

    /// An issuer's private key, which signs JSON Web Tokens.
    package final class SigningKey: @unchecked Sendable {
        // Unchecked: the key is never changed, and libcrypto lets every thread sign with one key at the same time.
        package enum Kind: Sendable {
            case rsa(bits: Int32)
            case p256
        }

        package struct Failed: Error {}

        package let kind: Kind
        package let id: String
        private let key: OpaquePointer

        package init(_ kind: Kind, id: String) throws {
            self.kind = kind
            self.id = id
            let type =
                switch kind {
                case .rsa: EVP_PKEY_RSA
                case .p256: EVP_PKEY_EC
                }
            guard let context = EVP_PKEY_CTX_new_id(type, nil), EVP_PKEY_keygen_init(context) == 1 else {
                throw Failed()
            }
            defer { EVP_PKEY_CTX_free(context) }
            switch kind {
            case .rsa(let bits): EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
            case .p256: EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
            }
            var made: OpaquePointer?
            guard EVP_PKEY_keygen(context, &made) == 1, let made else { throw Failed() }
            key = made
        }

        deinit {
            EVP_PKEY_free(key)
        }

        /// The public half as a JSON Web Key (RFC 7517), for JSONSerialization.
        package var publicJWK: [String: String] {
            switch kind {
            case .rsa:
                [
                    "kty": "RSA", "use": "sig", "alg": "RS256", "kid": id, "n": Self.base64URL(modulus),
                    "e": Self.base64URL(number("e")),
                ]
            case .p256:
                [
                    "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": id,
                    "x": Self.base64URL(Array(point.prefix(32))), "y": Self.base64URL(Array(point.suffix(32))),
                ]
            }
        }

        /// The private half as a file of PKCS #8, as Apple gives out keys.
        package var pem: String {
            let info = EVP_PKEY2PKCS8(key)
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = i2d_PKCS8_PRIV_KEY_INFO(info, &bytes)
            // Data copies what libcrypto allocated.
            defer { CRYPTO_free(bytes, #file, #line) }
            let text = Data(UnsafeBufferPointer(start: bytes, count: max(0, Int(count))))
                .base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n"
        }

        /// The claims of a token that this key, on P-256, signed; `nil` for any other text.
        package func claims(of token: String) -> [String: Any]? {
            let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let signature = Self.bytes(base64URL: parts[2]), signature.count == 64,
                let claims = Self.bytes(base64URL: parts[1]), let head = Self.bytes(base64URL: parts[0])
            else { return nil }
            func integer(_ digits: ArraySlice<UInt8>) -> [UInt8] {
                let short = Array(digits.drop { $0 == 0 })
                let positive = short.first.map { $0 >= 0x80 } ?? true ? [0] + short : short
                return [0x02, UInt8(positive.count)] + positive
            }
            let sides = integer(signature[..<32]) + integer(signature[32...])
            let der = [0x30, UInt8(sides.count)] + sides
            let signed = Array("\(parts[0]).\(parts[1])".utf8)
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            // Text that is not JSON is not a token.
            let header = try? JSONSerialization.jsonObject(with: Data(head)) as? [String: Any]
            guard header?["alg"] as? String == "ES256", header?["kid"] as? String == id,
                EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1,
                EVP_DigestVerify(context, der, der.count, signed, signed.count) == 1
            else { return nil }
            return try? JSONSerialization.jsonObject(with: Data(claims)) as? [String: Any]
        }

        private static func bytes(base64URL text: String) -> [UInt8]? {
            let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
            let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            return Data(base64Encoded: plain + padding).map { [UInt8]($0) }
        }

        package var modulus: [UInt8] { number("n") }
        package var exponent: [UInt8] { number("e") }

        /// x and y, 32 bytes each: the end of the key in DER.
        package var point: [UInt8] { Array(der.suffix(64)) }

        private var der: [UInt8] {
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = i2d_PUBKEY(key, &bytes)
            // The array copies what libcrypto allocated.
            defer { CRYPTO_free(bytes, #file, #line) }
            return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }

        private func number(_ name: String) -> [UInt8] {
            var number: OpaquePointer?
            guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return [] }
            defer { BN_free(number) }
            var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
            BN_bn2bin(number, &bytes)
            return bytes
        }

        /// An RS256 or ES256 signature of the bytes (RFC 7518 §3.3, §3.4).
        package func signature(of bytes: [UInt8]) -> [UInt8] {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            var count = 0
            guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
                EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
            else { return [] }
            var signature = [UInt8](repeating: 0, count: count)
            guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { return [] }
            signature.removeLast(signature.count - count)
            if case .rsa = kind { return signature }
            // SEQUENCE { INTEGER r, INTEGER s }, each as short as it can be.
            var sides: [UInt8] = []
            var place = 2
            for _ in 0..<2 {
                let length = Int(signature[place + 1])
                let digits = signature[(place + 2)..<(place + 2 + length)].drop { $0 == 0 }
                sides += [UInt8](repeating: 0, count: 32 - digits.count) + digits
                place += 2 + length
            }
            return sides
        }

        /// A token: header, claims, and the signature of both by this key unless `sign` says otherwise.
        package func token(
            _ claims: [String: any Sendable], header: [String: any Sendable] = [:],
            sign: (([UInt8]) -> [UInt8])? = nil
        ) throws -> String {
            let algorithm =
                switch kind {
                case .rsa: "RS256"
                case .p256: "ES256"
                }
            let head = ["alg": algorithm, "kid": id, "typ": "JWT"].merging(header) { $1 }
            let parts = try [head, claims].map {
                Self.base64URL(Array(try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)))
            }
            let signed = parts.joined(separator: ".")
            let signature = (sign ?? self.signature)(Array(signed.utf8))
            return "\(signed).\(Self.base64URL(signature))"
        }

        package static func base64URL(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        }

        /// An HS256 signature with this secret.
        package static func hmac(_ bytes: [UInt8], secret: [UInt8]) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: 32)
            HMAC(EVP_sha256(), secret, Int32(secret.count), bytes, bytes.count, &digest, nil)
            return digest
        }
    }

    /// An issuer of OpenID Connect on loopback: a discovery document and a set of keys that the test changes.
    package final class StubIssuer: Sendable {
        package let service: StubServer

        /// - Parameter certificate: files of a certificate and its key, for an issuer with https.
        package init(_ keys: [SigningKey], certificate: (chain: String, key: String)? = nil) throws {
            service = try StubServer(.silence, certificate: certificate)
            try publish(keys)
        }

        package var url: String { service.url }

        /// The number of requests for the keys.
        package var fetches: Int { service.requests.filter { $0.hasPrefix("GET /keys ") }.count }

        package func publish(_ keys: [SigningKey]) throws {
            try publish(keys.map(\.publicJWK))
        }

        /// - Parameters: false claims of the discovery document.
        package func publish(
            _ keys: [[String: String]], issuer: String? = nil, keysAt: String? = nil, signInAt: String? = nil
        ) throws {
            let set = try JSONSerialization.data(withJSONObject: ["keys": keys])
            let document = """
                {"issuer": "\(issuer ?? url)", "jwks_uri": "\(keysAt ?? "\(url)/keys")",
                "authorization_endpoint": "\(signInAt ?? "\(url)/authorize")"}
                """
            service.behave(
                .pages([
                    "/.well-known/openid-configuration": .ok(document),
                    "/keys": .ok(String(decoding: set, as: UTF8.self)),
                ]))
        }

        package func stop() {
            service.stop()
        }

        /// The claims of a valid token, at a time in seconds since 1970.
        package func claims(
            at now: Int, audience: String = "app", subject: String = "person-1", email: String? = nil
        ) -> [String: any Sendable] {
            var claims: [String: any Sendable] = [
                "iss": url, "aud": audience, "sub": subject, "iat": now, "exp": now + 600,
            ]
            if let email {
                claims["email"] = email
                claims["email_verified"] = true
            }
            return claims
        }
    }
#endif
