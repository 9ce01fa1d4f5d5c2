#if canImport(Darwin)
    import Darwin
#else
    import CCrypto
#endif

/// Comparing secrets without telling by the time it takes how much of them was right.
package enum ConstantTime {
    /// True when both hold the same bytes. Takes the same time for all inputs of one length; lengths are no secret.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        #if canImport(Darwin)
            return timingsafe_bcmp(left, right, left.count) == 0
        #else
            return CRYPTO_memcmp(left, right, left.count) == 0
        #endif
    }
}
