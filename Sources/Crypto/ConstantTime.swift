#if canImport(Darwin)
    import Darwin
#else
    import CCrypto
#endif

/// Compares secrets in constant time, so that the time does not tell how much of a guess was right.
package enum ConstantTime {
    /// True when both have the same bytes. Takes the same time for all inputs of one length; lengths are not secret.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        #if canImport(Darwin)
            return timingsafe_bcmp(left, right, left.count) == 0
        #else
            return CRYPTO_memcmp(left, right, left.count) == 0
        #endif
    }
}
