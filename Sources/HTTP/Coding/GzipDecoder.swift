import CZlib

/// Takes a gzip body (RFC 1952) apart, stretch by stretch, and never makes more of it than it may be.
// Unchecked because it is handed on: one thread at a time decodes.
package final class GzipDecoder: @unchecked Sendable {
    package enum Fault: Error {
        /// It is not gzip, or not all of it.
        case malformed
        /// More comes out than may.
        case tooLarge
    }

    private static let stretch = 65_536

    private let input: [UInt8]
    private let limit: Int
    private var consumed = 0
    /// What came out so far.
    package private(set) var output: [UInt8] = []
    // By pointer: zlib's state points back at it, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter limit: bytes that may come out.
    package init(_ input: [UInt8], limit: Int) {
        self.input = input
        self.limit = limit
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

    /// Decodes on until this number of bytes came out, or went in: of many empty members nothing comes out.
    /// - Returns: true when that is all.
    package func decode(upTo count: Int) throws(Fault) -> Bool {
        while max(output.count, consumed) < count {
            let (status, made) = inflateStretch()
            guard output.count <= limit else { throw .tooLarge }
            switch status {
            case Z_STREAM_END where consumed == input.count: return true
            // Another member follows (RFC 1952 §2.2).
            case Z_STREAM_END: inflateReset(stream)
            case Z_OK where made > 0 || consumed < input.count: continue
            default: throw .malformed
            }
        }
        return false
    }

    private func inflateStretch() -> (status: Int32, made: Int) {
        // Unsafe only for the time of the call: zlib keeps no pointer to the input between calls.
        input.withUnsafeBufferPointer { input in
            let rest = UnsafeBufferPointer(rebasing: input[consumed...])
            stream.pointee.next_in = UnsafeMutablePointer(mutating: rest.baseAddress)
            stream.pointee.avail_in = UInt32(rest.count)
            var status = Z_OK
            let piece = [UInt8](unsafeUninitializedCapacity: Self.stretch) { buffer, count in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(Self.stretch)
                status = inflate(stream, Z_NO_FLUSH)
                count = Self.stretch - Int(stream.pointee.avail_out)
            }
            stream.pointee.next_in = nil
            stream.pointee.next_out = nil
            consumed += rest.count - Int(stream.pointee.avail_in)
            output += piece
            return (status, piece.count)
        }
    }
}
