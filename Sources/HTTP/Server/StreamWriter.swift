import Sockets

/// Takes the pieces of one streamed body to its connection.
// Unchecked because its members are for the loop's thread only, and `write` goes there first.
final class StreamWriter: BodyWriter, @unchecked Sendable {
    private let connection: Connection
    private let isChunked: Bool
    private var isWriting = false
    private(set) var bytesWritten = 0

    init(_ connection: Connection, isChunked: Bool) {
        self.connection = connection
        self.isChunked = isChunked
    }

    func write(_ bytes: [UInt8]) async throws {
        let loop = connection.context.loop
        if loop.isCurrent {
            try await writeOnLoop(bytes)
        } else {
            // A producer may have handed its writer to a task of its own.
            try await withTaskExecutorPreference(loop) { try await writeOnLoop(bytes) }
        }
    }

    private func writeOnLoop(_ bytes: [UInt8]) async throws {
        precondition(!isWriting, "The pieces of a stream are written one after the other.")
        isWriting = true
        defer { isWriting = false }
        try await connection.writePiece(bytes, isChunked: isChunked)
        bytesWritten += bytes.count
    }
}
