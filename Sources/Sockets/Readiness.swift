/// The readiness to wait for.
package enum Interest: Sendable {
    case reading
    case writing
}

/// What the kernel reported about a descriptor since the last wait.
struct Readiness: OptionSet {
    let rawValue: UInt8

    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
    /// The peer will send nothing more.
    static let ended = Readiness(rawValue: 4)
    /// The connection is closed in both directions.
    static let broken = Readiness(rawValue: 8)
}
