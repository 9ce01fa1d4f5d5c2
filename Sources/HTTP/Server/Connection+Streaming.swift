import Sockets
import Synchronization

/// Bodies that are made while they are sent.
extension Connection {
    /// Runs the producer.
    ///
    /// - Returns: the bytes of content that went out.
    func run(_ stream: BodyStream, isChunked: Bool) async -> Int {
        guard await flush() else {
            machine.lost()
            return 0
        }
        context.streamCount.add(1, ordering: .relaxed)
        defer { context.streamCount.subtract(1, ordering: .relaxed) }
        if stream.isEndless {
            endsWithServer = true
            watch.onEnd = { [task] in task?.cancel() }
            if watch.hasEnded || machine.isDraining { task?.cancel() }
        }
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
            machine.lost()
        }
        isStreaming = false
        endsWithServer = false
        watch.onEnd = nil
        return writer.bytesWritten
    }

    /// Writes one piece of a stream.
    func writePiece(_ bytes: [UInt8], isChunked: Bool) async throws {
        if Task.isCancelled || machine.isClosed { throw ConnectionLost() }
        guard !bytes.isEmpty else { return }
        let isSmall = bytes.count <= Connection.copiedBytes
        output.reserve(32 + (isSmall ? bytes.count : 0), from: context.pool)
        if isChunked { ResponseEncoder.encode(chunkSize: bytes.count, into: &output) }
        if isSmall { output.append(bytes) } else if await !write(bytes) { throw ConnectionLost() }
        if isChunked {
            output.reserve(2, from: context.pool)
            output.append("\r\n")
        }
        if await !flush() { throw ConnectionLost() }
        await letOthersRun()
    }
}
