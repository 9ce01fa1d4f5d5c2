import Foundation
import Locks
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(10)))
struct WatchTests {
    @Test func `what is served in place does not end the wait, and what is not does`() async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()
        let served = Locked<[UInt8]>([])
        let events = AsyncStream<Void>.makeStream()

        let outcome = Task(executorPreference: group.loops[0]) {
            let watch = Watch(pipe.fileHandleForReading.fileDescriptor, on: group.loops[0])
            watch.onReady = {
                var byte: UInt8 = 0
                _ = read(watch.descriptor, &byte, 1)
                watch.exhausted(.reading)
                served.withLock { $0.append(byte) }
                events.continuation.yield()
                return byte == 3 ? nil : .distantFuture
            }
            try watch.start()
            defer { watch.stop() }
            return await watch.wait(for: .reading, until: .distantFuture, allowsOnReady: true)
        }
        var arrivals = events.stream.makeAsyncIterator()
        for byte: UInt8 in 1...3 {
            try pipe.fileHandleForWriting.write(contentsOf: [byte])
            await arrivals.next()
        }

        #expect(try await outcome.value == .ready)
        #expect(served.withLock { $0 } == [1, 2, 3])
        group.shutDown()
    }

    @Test func `served in place, a wait still ends when its new time is over`() async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()

        let outcome = Task(executorPreference: group.loops[0]) {
            let watch = Watch(pipe.fileHandleForReading.fileDescriptor, on: group.loops[0])
            watch.onReady = {
                watch.exhausted(.reading)
                return group.loops[0].now
            }
            try watch.start()
            defer { watch.stop() }
            return await watch.wait(for: .reading, until: .distantFuture, allowsOnReady: true)
        }
        try pipe.fileHandleForWriting.write(contentsOf: [1])

        #expect(try await outcome.value == .timedOut)
        group.shutDown()
    }

    @Test func `a rest needs no task until something cannot be served in place`() async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()
        let events = AsyncStream<String>.makeStream()

        let watch = Watch(pipe.fileHandleForReading.fileDescriptor, on: group.loops[0])
        let started = Task(executorPreference: group.loops[0]) {
            watch.onReady = {
                var byte: UInt8 = 0
                _ = read(watch.descriptor, &byte, 1)
                watch.exhausted(.reading)
                events.continuation.yield("read \(byte)")
                return byte == 2 ? nil : .distantFuture
            }
            watch.onWake = { events.continuation.yield("woke") }
            try watch.start()
            watch.rest(until: .distantFuture)
        }
        try await started.value
        var arrivals = events.stream.makeAsyncIterator()
        for byte: UInt8 in 1...2 {
            try pipe.fileHandleForWriting.write(contentsOf: [byte])
            #expect(await arrivals.next() == "read \(byte)")
        }

        #expect(await arrivals.next() == "woke")
        group.shutDown()
    }

    @Test(arguments: [true, false])
    func `a rest ends when its time is over, and when it is poked`(isPoked: Bool) async throws {
        let group = try EventLoopGroup(count: 1)
        let pipe = Pipe()
        let woken = AsyncStream<Void>.makeStream()

        let watch = Watch(pipe.fileHandleForReading.fileDescriptor, on: group.loops[0])
        let started = Task(executorPreference: group.loops[0]) {
            watch.onWake = { woken.continuation.yield() }
            try watch.start()
            watch.rest(until: isPoked ? .distantFuture : group.loops[0].now)
        }
        try await started.value
        if isPoked { watch.poke() }

        var arrivals = woken.stream.makeAsyncIterator()
        #expect(await arrivals.next() != nil)
        group.shutDown()
    }
}
