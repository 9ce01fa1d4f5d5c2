import Sockets
import Synchronization

/// Bodies that are made while they are sent.
extension Connection {
    /// Runs the producer.
    ///
    /// - Returns: the bytes of content that went out.
    func run(_ stream: BodyStream, isChunked: Bool) async -> Int {
        guard await flush() else {
            lose()
            return 0
        }
        context.streamCount.add(1, ordering: .relaxed)
        defer { context.streamCount.subtract(1, ordering: .relaxed) }
        input.shrink(to: context.pool)
        output.shrink(to: context.pool)
        isStreaming = true
        let writer = StreamWriter(self, isChunked: isChunked)
        do {
            try await stream.produce(writer)
            if isChunked {
                output.reserve(8, from: context.pool)
                output.append("0\r\n\r\n")
            }
        } catch {
            // Whatever it was, the client learns it from the missing end; the producer's own room has logged it.
            lose()
        }
        isStreaming = false
        return writer.bytesWritten
    }

    /// Writes one piece of a stream, after what is still gathered.
    func writePiece(_ bytes: [UInt8], isChunked: Bool) async throws {
        if Task.isCancelled || machine.isClosed { throw ConnectionLost() }
        if bytes.count <= Connection.copiedBytes {
            append(piece: bytes, isChunked: isChunked)
        } else {
            output.reserve(32, from: context.pool)
            if isChunked { ResponseEncoder.encode(chunkSize: bytes.count, into: &output) }
            if await !write(bytes) { throw ConnectionLost() }
            if isChunked {
                output.reserve(2, from: context.pool)
                output.append("\r\n")
            }
        }
        if await !flush() { throw ConnectionLost() }
        await letOthersRun()
    }

    /// Gathers one small piece. An empty one is nothing: as a chunk it would be the end.
    func append(piece bytes: [UInt8], isChunked: Bool) {
        guard !bytes.isEmpty else { return }
        output.reserve(32 + bytes.count, from: context.pool)
        if isChunked { ResponseEncoder.encode(chunkSize: bytes.count, into: &output) }
        output.append(bytes)
        if isChunked { output.append("\r\n") }
    }
}
