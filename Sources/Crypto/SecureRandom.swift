#if canImport(Darwin)
    import Security
#else
    import CCrypto
#endif

/// Unpredictable random numbers from the system's generator.
package enum SecureRandom {
    /// `count` random bytes. Ends the process when the system has no randomness: no secret can be made then.
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }

    /// 64 random bits.
    package static func uint64() -> UInt64 {
        var bits: UInt64 = 0
        // The bytes live for the call only.
        withUnsafeMutableBytes(of: &bits) { fill($0) }
        return bits
    }

    /// Fills exactly `buffer`, which outlives the call.
    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress, buffer.count > 0 else { return }
        #if canImport(Darwin)
            let succeeded = SecRandomCopyBytes(kSecRandomDefault, buffer.count, start) == errSecSuccess
        #else
            let succeeded = RAND_bytes(start.assumingMemoryBound(to: UInt8.self), Int32(clamping: buffer.count)) == 1
        #endif
        precondition(succeeded, "the system has no random numbers")
    }
}
