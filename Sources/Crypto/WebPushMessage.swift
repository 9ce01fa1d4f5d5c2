import Foundation

#if canImport(Darwin)
    import CryptoKit
#else
    import CCrypto
#endif

/// Encrypts what a push service carries to a browser, which alone can read it (RFC 8291, with RFC 8188).
package enum WebPushMessage {
    /// - Parameters:
    ///   - text: at most 3,900 bytes, so that the message fits into one record, as it must.
    ///   - point: the subscription's `p256dh`.
    ///   - secret: its `auth`, 16 bytes.
    ///   - key: of this message alone.
    ///   - salt: 16 bytes of this message alone.
    /// - Returns: a body with `Content-Encoding: aes128gcm`; `nil` when the point is not on the curve.
    package static func encrypted(
        _ text: [UInt8], to point: [UInt8], secret: [UInt8], key: AgreementKey = AgreementKey(),
        salt: [UInt8] = SecureRandom.bytes(16)
    ) -> [UInt8]? {
        guard let shared = key.secret(with: point) else { return nil }
        // RFC 8291 §3.4; all outputs of HKDF (RFC 5869) are of one block.
        let info = Array("WebPush: info\0".utf8) + point + key.publicPoint + [1]
        let input = hmac(hmac(shared, key: secret), info)
        let extracted = hmac(input, key: salt)
        let content = hmac(extracted, Array("Content-Encoding: aes128gcm\0\u{1}".utf8)).prefix(16)
        let nonce = hmac(extracted, Array("Content-Encoding: nonce\0\u{1}".utf8)).prefix(12)
        // The delimiter of the last record (RFC 8188 §2).
        let sealed = AES128GCM.seal(text + [2], key: Array(content), nonce: Array(nonce))
        let header = salt + [0, 0, 0x10, 0] + [UInt8(key.publicPoint.count)] + key.publicPoint
        return header + sealed
    }

    private static func hmac(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] { hmac(text, key: key) }

    /// HMAC with SHA-256 (RFC 2104); no key here is longer than a block.
    private static func hmac(_ text: [UInt8], key: [UInt8]) -> [UInt8] {
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        return SHA256.digest(padded.map { $0 ^ 0x5c } + SHA256.digest(padded.map { $0 ^ 0x36 } + text))
    }
}

private enum AES128GCM {
    #if canImport(Darwin)
        static func seal(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
            do {
                let box = try AES.GCM.seal(text, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce))
                return [UInt8](box.ciphertext + box.tag)
            } catch {
                fatalError("the system cannot encrypt: \(error)")
            }
        }
    #else
        /// - Returns: the ciphertext and the tag.
        static func seal(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
            let context = EVP_CIPHER_CTX_new()
            defer { EVP_CIPHER_CTX_free(context) }
            var sealed = [UInt8](repeating: 0, count: text.count)
            var tag = [UInt8](repeating: 0, count: 16)
            var count: Int32 = 0
            var rest: Int32 = 0
            var end = [UInt8](repeating: 0, count: 16)
            guard EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
                EVP_EncryptUpdate(context, &sealed, &count, text, Int32(text.count)) == 1,
                EVP_EncryptFinal_ex(context, &end, &rest) == 1,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, &tag) == 1
            else { fatalError("libcrypto cannot encrypt") }
            return sealed + tag
        }
    #endif
}
