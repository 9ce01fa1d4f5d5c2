#if canImport(Darwin)
    import CryptoKit
#else
    import CCrypto
#endif

/// SHA-256 (FIPS 180-4), over bytes at once or piece by piece.
///
/// ```
/// var hash = SHA256()
/// hash.update(head)
/// hash.update(body)
/// let digest = hash.finish()
/// ```
package struct SHA256: ~Copyable {
    /// Bytes in a digest.
    package static let size = 32

    #if canImport(Darwin)
        private var state = CryptoKit.SHA256()

        package init() {}

        package mutating func update(_ bytes: some Collection<UInt8>) {
            state.update(data: Array(bytes))
        }

        /// The 32 bytes of the digest.
        package consuming func finish() -> [UInt8] {
            Array(state.finalize())
        }

        /// The 32 bytes of the digest of `bytes`.
        package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
            Array(CryptoKit.SHA256.hash(data: Array(bytes)))
        }
    #else
        // Fetched once, because that costs more than a short digest. `nonisolated(unsafe)`: it is never changed or
        // freed, and libcrypto lets all threads share an algorithm.
        nonisolated(unsafe) private static let algorithm: OpaquePointer = {
            guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
                fatalError("libcrypto has no SHA-256")
            }
            return algorithm
        }()

        private let context: OpaquePointer

        package init() {
            guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, Self.algorithm, nil) == 1 else {
                fatalError("libcrypto cannot begin a digest: out of memory")
            }
            self.context = context
        }

        deinit {
            EVP_MD_CTX_free(context)
        }

        package mutating func update(_ bytes: some Collection<UInt8>) {
            // The pointer lives for the call only; libcrypto copies what it keeps.
            let taken: Int32? = bytes.withContiguousStorageIfAvailable { buffer in
                EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
            }
            if taken == nil {
                let copy = Array(bytes)
                EVP_DigestUpdate(context, copy, copy.count)
            }
        }

        /// The 32 bytes of the digest.
        package consuming func finish() -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
                EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
                count = Self.size
            }
        }

        /// The 32 bytes of the digest of `bytes`.
        package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                // The pointers live for the call only.
                let done: Int32? = bytes.withContiguousStorageIfAvailable { input in
                    EVP_Digest(input.baseAddress, input.count, buffer.baseAddress, nil, algorithm, nil)
                }
                if done == nil {
                    let copy = Array(bytes)
                    EVP_Digest(copy, copy.count, buffer.baseAddress, nil, algorithm, nil)
                }
                count = size
            }
        }
    #endif
}
