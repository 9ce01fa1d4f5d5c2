#if canImport(Darwin)
    import CommonCrypto
#else
    import CCrypto
#endif

/// Derives a key from a password, slow on purpose.
package enum KeyDerivation: Hashable, Sendable {
    /// scrypt (RFC 7914): `2^logCost` rounds over `128 · r · 2^logCost` bytes of memory, `parallelism` times.
    case scrypt(logCost: Int, blockSize: Int, parallelism: Int)
    /// PBKDF2 with HMAC-SHA-256 (RFC 8018 §5.2).
    case pbkdf2(rounds: Int)
    /// What Firebase Auth compares passwords by: scrypt makes a key of AES-256, and the bytes are its key stream (CTR, from
    /// zero). Only for imported hashes, see ``PasswordHash/init(firebase:signerKey:salt:logCost:blockSize:)``.
    case scryptStream(logCost: Int, blockSize: Int)

    /// `count` bytes from a password.
    /// - Throws: ``Failed`` when it is not ``isUsable``, or there is not enough memory.
    package func key(from password: [UInt8], salt: [UInt8], count: Int) throws(Failed) -> [UInt8] {
        guard isUsable, count > 0 else { throw Failed() }
        var key = [UInt8](repeating: 0, count: count)
        guard derive(password, salt, &key) else { throw Failed() }
        return key
    }

    /// The key could not be derived.
    package struct Failed: Error, Equatable {
        package init() {}
    }

    /// What takes, after `other`, the rest of the time of this one; `nil` when there is none.
    package func rest(after other: KeyDerivation) -> KeyDerivation? {
        guard case .scrypt(let logCost, let blockSize, let parallelism) = self,
            case .scryptStream(let otherLogCost, let otherBlockSize) = other, isUsable, other.isUsable
        else { return nil }
        // scrypt takes time by the product of its three parameters.
        let times = (blockSize * parallelism << logCost) / (otherBlockSize << otherLogCost) - 1
        guard times > 0 else { return nil }
        return .scrypt(logCost: otherLogCost, blockSize: otherBlockSize, parallelism: min(times, 16))
    }

    /// True if the system has the function (macOS has no scrypt), and the parameters are within bounds: a damaged row
    /// must not take all memory or a day of the processor.
    package var isUsable: Bool {
        switch self {
        case .scrypt(let logCost, let blockSize, let parallelism):
            Self.hasScrypt && (1...20).contains(logCost) && (1...32).contains(blockSize)
                && (1...16).contains(parallelism)
        case .pbkdf2(let rounds):
            (1...10_000_000).contains(rounds)
        // At most the 32 MiB of our own: every log-in may cost as much.
        case .scryptStream(let logCost, let blockSize):
            Self.hasScrypt && (1...15).contains(logCost) && (1...8).contains(blockSize)
        }
    }

    #if canImport(Darwin)
        private static let hasScrypt = false

        private func derive(_ password: [UInt8], _ salt: [UInt8], _ key: inout [UInt8]) -> Bool {
            guard case .pbkdf2(let rounds) = self else { return false }
            // CommonCrypto wants signed characters; the pointer lives for the call only.
            return password.withUnsafeBytes { bytes in
                CCKeyDerivationPBKDF(
                    CCPBKDFAlgorithm(kCCPBKDF2), bytes.bindMemory(to: CChar.self).baseAddress, password.count,
                    salt, salt.count, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), UInt32(rounds), &key, key.count)
                    == Int32(kCCSuccess)
            }
        }
    #else
        private static let hasScrypt = true

        private func derive(_ password: [UInt8], _ salt: [UInt8], _ key: inout [UInt8]) -> Bool {
            // libcrypto wants signed characters; the pointer lives for the call only.
            password.withUnsafeBytes { bytes in
                let start = bytes.bindMemory(to: CChar.self).baseAddress
                switch self {
                case .scrypt(let logCost, let blockSize, let parallelism):
                    let rounds = UInt64(1) << UInt64(logCost)
                    let memory = 128 * UInt64(blockSize) * (rounds + UInt64(parallelism) + 2)
                    return EVP_PBE_scrypt(
                        start, bytes.count, salt, salt.count, rounds, UInt64(blockSize), UInt64(parallelism),
                        memory + (1 << 20), &key, key.count) == 1
                case .pbkdf2(let rounds):
                    return PKCS5_PBKDF2_HMAC(
                        start, Int32(bytes.count), salt, Int32(salt.count), Int32(rounds), EVP_sha256(),
                        Int32(key.count), &key) == 1
                case .scryptStream(let logCost, let blockSize):
                    var cipherKey = [UInt8](repeating: 0, count: 32)
                    let scrypt = KeyDerivation.scrypt(logCost: logCost, blockSize: blockSize, parallelism: 1)
                    return scrypt.derive(password, salt, &cipherKey) && Self.keyStream(of: cipherKey, &key)
                }
            }
        }

        /// Fills `stream` with the first bytes of AES-256-CTR from a counter of zero: it encrypts zeros.
        private static func keyStream(of key: [UInt8], _ stream: inout [UInt8]) -> Bool {
            guard let context = EVP_CIPHER_CTX_new() else { return false }
            defer { EVP_CIPHER_CTX_free(context) }
            let counter = [UInt8](repeating: 0, count: 16)
            let zeros = [UInt8](repeating: 0, count: stream.count)
            var count: Int32 = 0
            return EVP_EncryptInit_ex2(context, EVP_aes_256_ctr(), key, counter, nil) == 1
                && EVP_EncryptUpdate(context, &stream, &count, zeros, Int32(zeros.count)) == 1
                && Int(count) == stream.count
        }
    #endif
}
