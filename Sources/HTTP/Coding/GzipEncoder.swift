import CZlib
import Locks

/// Compresses a body to gzip (RFC 1952) with the system's zlib.
// Unchecked because zlib's state is for one thread at a time: an encoder that was taken from the pool has one user.
package final class GzipEncoder: @unchecked Sendable {
    /// Of 350 KB of tasks it makes 12 to 14 %, in 2 ms of a core; 6, the usual one, takes half as long again for 1 % less.
    private static let level: Int32 = 4
    /// For what is compressed once and sent for ever: 2 % less than `level`.
    private static let mostThorough: Int32 = 9
    /// 32 KiB of window, and 16 for the frame of gzip in place of zlib's own.
    static let windowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8

    /// A state takes 256 KiB, more than most answers: a few are kept for the next ones.
    private static let idle = Locked<[GzipEncoder]>([])
    private static let mostIdle = 4

    // By pointer: zlib's state points back at it, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter isThorough: true if fewer bytes are worth more time.
    package init(isThorough: Bool = false) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, isThorough ? Self.mostThorough : Self.level, Z_DEFLATED, Self.windowBits, Self.memoryLevel,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib failed to begin: \(status)")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// A whole body.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let encoder = idle.withLock { $0.popLast() } ?? GzipEncoder()
        defer {
            deflateReset(encoder.stream)
            idle.withLock { if $0.count < mostIdle { $0.append(encoder) } }
        }
        return encoder.encode(bytes, isLast: true)
    }

    /// The next piece of a body. What comes out may belong to earlier pieces, and may be nothing.
    package func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        // Unsafe only for the time of the call: zlib reads the piece and keeps what it needs of it.
        bytes.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            var output = deflated(room: Int(deflateBound(stream, UInt(input.count))), isLast)
            // Something of earlier pieces may have waited.
            while stream.pointee.avail_out == 0 { output += deflated(room: 16_384, isLast) }
            stream.pointee.next_in = nil
            return output
        }
    }

    private func deflated(room: Int, _ isLast: Bool) -> [UInt8] {
        Array(unsafeUninitializedCapacity: room) { buffer, count in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(room)
            _ = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            count = room - Int(stream.pointee.avail_out)
            stream.pointee.next_out = nil
        }
    }
}

/// Compresses the pieces of a streamed body on their way.
package final class GzipWriter: BodyWriter {
    private let writer: any BodyWriter
    private let encoder = GzipEncoder()

    package init(_ writer: any BodyWriter) {
        self.writer = writer
    }

    package func write(_ bytes: [UInt8]) async throws {
        try await writer.write(encoder.encode(bytes, isLast: false))
    }

    /// After the last piece.
    package func finish() async throws {
        try await writer.write(encoder.encode([], isLast: true))
    }
}
