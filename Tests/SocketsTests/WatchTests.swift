import Foundation
import Locks
import Testing

@testable import Sockets

/// Reads the bytes that come, and tells of everything in words.
// Unchecked because it is for the thread of its watch's loop only.
private final class Reader: WatchHandler, @unchecked Sendable {
    let watch: Watch
    let words = AsyncStream<String>.makeStream()
    private let deadline: Instant

    init(_ pipe: Pipe, on loop: EventLoop, until deadline: Instant = .distantFuture) {
        watch = Watch(pipe.fileHandleForReading.fileDescriptor, on: loop)
        self.deadline = deadline
    }

    func start() async throws {
        try await Task(executorPreference: watch.loop) { [self] in
            try watch.start(self)
            watch.wait(for: .reading, until: deadline)
        }
        .value
    }

    func becameReady() {
        var byte: UInt8 = 0
        let count = read(watch.descriptor, &byte, 1)
        words.continuation.yield(count == 1 ? "read \(byte)" : "end")
        watch.exhausted(.reading)
        if count == 1 { watch.wait(for: .reading, until: deadline) }
    }

    func timedOut() { words.continuation.yield("timed out") }
    func peerEnded() { words.continuation.yield("peer ended") }
    func connectionBroke() { words.continuation.yield("broke") }
}

@Suite(.timeLimit(.minutes(10)))
struct WatchTests {
    @Test func `each wait ends with one call, and the next one needs another wait`() async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()
        let reader = Reader(pipe, on: group.loops[0])
        try await reader.start()
        var words = reader.words.stream.makeAsyncIterator()

        for byte: UInt8 in 1...3 {
            try pipe.fileHandleForWriting.write(contentsOf: [byte])
            #expect(await words.next() == "read \(byte)")
        }

        group.shutDown()
    }

    @Test func `a wait ends when its time is over`() async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()
        let reader = Reader(pipe, on: group.loops[0], until: .now)

        try await reader.start()

        var words = reader.words.stream.makeAsyncIterator()
        #expect(await words.next() == "timed out")
        withExtendedLifetime(pipe) { group.shutDown() }
    }

    @Test func `what is ready already is reported, though the kernel reports nothing new`() async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()
        let reader = Reader(pipe, on: group.loops[0])
        try pipe.fileHandleForWriting.write(contentsOf: [1])
        try await Task(executorPreference: group.loops[0]) { [watch = reader.watch] in try watch.start(reader) }.value
        // Its report comes while nobody waits.
        for _ in 0..<10 { await Task(executorPreference: group.loops[0]) { await Task.yield() }.value }

        await Task(executorPreference: group.loops[0]) { [watch = reader.watch] in
            watch.wait(for: .reading, until: .distantFuture)
        }
        .value

        var words = reader.words.stream.makeAsyncIterator()
        #expect(await words.next() == "read 1")
        group.shutDown()
    }

    @Test func `the end of the other side is reported`() async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()
        let reader = Reader(pipe, on: group.loops[0])
        try await reader.start()

        try pipe.fileHandleForWriting.close()

        var words = reader.words.stream.makeAsyncIterator()
        #expect(await words.next() == "end")
        group.shutDown()
    }
}
