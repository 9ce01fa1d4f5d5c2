#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Bytes on their way from or to a socket: appended at the end, consumed from the beginning.
///
/// It holds no memory while it is empty and none was reserved; blocks of the usual size go back to a
/// ``BlockPool``. Owned by one connection.
struct ByteBuffer: ~Copyable {
    // Unsafe pointers because system calls fill and read the memory; it is owned by this value alone, and every access
    // below stays within `start ≤ end ≤ capacity`.
    private var memory: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private var start = 0
    private var end = 0

    init() {}

    deinit {
        memory?.deallocate()
    }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }
    var freeSpace: Int { capacity - end }

    /// The bytes not consumed yet. Valid until the next change.
    var unread: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.map { $0 + start }, count: count)
    }

    /// Lends the bytes not consumed yet.
    func withUnread<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unread.assumingMemoryBound(to: UInt8.self)
        return try body(bytes.span)
    }

    mutating func consume(_ count: Int) {
        precondition(count <= end - start, "More was consumed than there is.")
        start += count
        if start == end { (start, end) = (0, 0) }
    }

    /// Lends the free space at the end to a call that says how much of it was filled.
    mutating func fill<Result>(_ body: (UnsafeMutableRawBufferPointer) -> (count: Int, result: Result)) -> Result {
        let (count, result) = body(UnsafeMutableRawBufferPointer(start: memory.map { $0 + end }, count: freeSpace))
        precondition(count <= freeSpace, "More was filled than there was space.")
        end += count
        return result
    }

    /// Makes room for `count` more bytes: moves the content to the beginning, or into a larger block.
    // Inlined, so that a call costs a comparison where there is room.
    @inline(__always)
    mutating func reserve(_ count: Int, from pool: BlockPool) {
        if freeSpace < count { makeRoom(count, from: pool) }
    }

    private mutating func makeRoom(_ count: Int, from pool: BlockPool) {
        let needed = self.count + count
        if needed <= capacity, let memory {
            memmove(memory, memory + start, self.count)
        } else {
            move(to: pool.take(atLeast: max(needed, self.count * 2)), pool)
        }
        end -= start
        start = 0
    }

    /// Gives memory back that is not needed while the connection waits: all of it when the buffer is empty; the large
    /// block when little is in it.
    @inline(__always)
    mutating func shrink(to pool: BlockPool) {
        if capacity > BlockPool.smallSize { shrinkLarge(to: pool) }
    }

    private mutating func shrinkLarge(to pool: BlockPool) {
        guard let memory else { return }
        if isEmpty {
            pool.give(memory, capacity)
            (self.memory, capacity, start, end) = (nil, 0, 0, 0)
        } else if count <= BlockPool.smallSize / 2 {
            let size = BlockPool.smallSize
            move(to: (UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16), size), pool)
            end -= start
            start = 0
        }
    }

    private mutating func move(to block: (memory: UnsafeMutableRawPointer, size: Int), _ pool: BlockPool) {
        if let memory {
            memcpy(block.memory, memory + start, count)
            pool.give(memory, capacity)
        }
        memory = block.memory
        capacity = block.size
    }

    // MARK: Appending. Room must have been reserved.

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= freeSpace, "Nobody made room.")
        guard let memory, let source = bytes.baseAddress else { return }
        memcpy(memory + end, source, bytes.count)
        end += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    // Inlined, so that the text becomes a few stores.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ byte: UInt8) {
        precondition(freeSpace > 0, "Nobody made room.")
        memory?.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
        end += 1
    }

    mutating func append(_ date: HTTPDate) {
        precondition(freeSpace >= 32, "Nobody made room.")
        // Three bytes more than the date has: what comes next is written over them.
        memory?.storeBytes(of: date.bytes, toByteOffset: end, as: SIMD32<UInt8>.self)
        end += HTTPDate.count
    }

    mutating func append(_ id: RequestID) {
        switch id {
        case .given(let text): append(name: text)
        case .number(let number):
            let (first, last) = RequestID.digits(of: number)
            precondition(freeSpace >= 16, "Nobody made room.")
            // Three bytes more than there are digits: what comes next is written over them.
            memory?.storeBytes(of: first.littleEndian, toByteOffset: end, as: UInt64.self)
            memory?.storeBytes(of: last.littleEndian, toByteOffset: end + 8, as: UInt64.self)
            end += 13
        }
    }

    /// A name of our own as it is: none of those holds a line break.
    mutating func append(name: String) {
        Self.lend(name) { append(UnsafeRawBufferPointer($0)) }
    }

    /// Lends the bytes of a text, without the copy that `withUTF8` needs to change it.
    private static func lend(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        // Native strings hand out their storage; a bridged one (macOS) is copied.
        if text.utf8.withContiguousStorageIfAvailable(body) == nil { Array(text.utf8).withUnsafeBufferPointer(body) }
    }

    /// The text's bytes; line breaks and NUL, which would begin another field, become spaces.
    mutating func append(line text: String) {
        Self.lend(text) { utf8 in
            let bytes = utf8.span
            if bytes.contains(
                in: 0..<bytes.count, where: { $0.isLineBreak }, quickly: { $0.hasByte(below: 0x0E) })
            {
                append(utf8.map { $0.isLineBreak ? 0x20 : $0 })
            } else {
                append(UnsafeRawBufferPointer(utf8))
            }
        }
    }

    /// The number's digits; at most 20 bytes.
    mutating func append(decimal value: Int) {
        var rest = UInt(value)
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var first = 20
            repeat {
                first -= 1
                digits[first] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
                rest /= 10
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: digits[first...]))
        }
    }
}

/// Blocks of memory that the connections of one loop take and give back, so that a request needs no `malloc` and a
/// waiting connection holds none. Loop's thread only.
final class BlockPool {
    static let smallSize = 1024
    private let blockSize: Int
    private let keptBlocks: Int
    /// The first ``count`` are kept.
    // Unsafe because an array would check and count at each request; freed with the pool.
    private let blocks: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var count = 0

    /// - Parameter keptBlocks: the most blocks that are kept; others are freed.
    init(blockSize: Int, keptBlocks: Int = 64) {
        self.blockSize = blockSize
        self.keptBlocks = keptBlocks
        blocks = .allocate(capacity: keptBlocks)
    }

    deinit {
        for index in 0..<count { blocks[index].deallocate() }
        blocks.deallocate()
    }

    func take(atLeast size: Int) -> (memory: UnsafeMutableRawPointer, size: Int) {
        if size <= blockSize, count > 0 {
            count -= 1
            return (blocks[count], blockSize)
        }
        let size = max(size, blockSize)
        return (.allocate(byteCount: size, alignment: 16), size)
    }

    func give(_ memory: UnsafeMutableRawPointer, _ size: Int) {
        guard size == blockSize, count < keptBlocks else { return memory.deallocate() }
        (blocks + count).initialize(to: memory)
        count += 1
    }
}
