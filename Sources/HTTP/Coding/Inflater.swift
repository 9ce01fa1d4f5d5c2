import CZlib

/// Decompresses gzip (RFC 1952), member after member (§2.2): pieces in, pieces out.
// Unchecked because it is handed on: one thread at a time uses it.
final class Inflater: @unchecked Sendable {
    enum Outcome {
        /// All of the input was taken, or the output is full.
        case goesOn
        /// The input may hold another member.
        case memberEnded
        case malformed
    }

    /// Bytes of output for one call.
    static let stretch = 65_536
    /// Bytes of memory that the state takes with its window.
    static let memory = 48 << 10

    // By pointer: zlib's state points back at it, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(
            stream, GzipEncoder.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib failed to begin: \(status)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unsafe only for the time of the call: zlib keeps no pointer to input or output between calls.
    /// - Returns: also how many bytes it took and made.
    func inflate(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (outcome: Outcome, taken: Int, made: Int) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        let taken = input.count - Int(stream.pointee.avail_in)
        let made = output.count - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        switch status {
        case Z_STREAM_END:
            inflateReset(stream)
            return (.memberEnded, taken, made)
        // Without input or room it can do nothing, which is not a fault of the stream.
        case Z_OK, Z_BUF_ERROR: return (.goesOn, taken, made)
        default: return (.malformed, taken, made)
        }
    }
}
