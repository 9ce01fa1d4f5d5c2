/// What a descriptor is waited for.
package enum Interest: Sendable {
    case reading
    case writing
}

/// What the kernel said about a descriptor since it was last asked.
struct Readiness: OptionSet {
    let rawValue: UInt8

    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
    /// The other side will send nothing more.
    static let ended = Readiness(rawValue: 4)
    /// The connection is gone in both directions.
    static let broken = Readiness(rawValue: 8)
}
