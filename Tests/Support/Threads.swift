import Foundation
import Locks

/// Runs `body` for each number on a thread of its own, all at once, and gives their results in order.
///
/// The clients of these tests block; on the threads of Swift's tasks, of which there are as few as processors, one that
/// waits for another could wait for ever.
package func onThreads<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
) async throws -> [Value] {
    let gathered = Gathered<Value>()
    let all = await withCheckedContinuation { continuation in
        for number in 0..<count {
            Thread {
                let result = Result { try body(number) }
                let all = gathered.results.withLock { results in
                    results[number] = result
                    return results.count == count ? results : nil
                }
                if let all { continuation.resume(returning: all) }
            }.start()
        }
    }
    return try all.sorted { $0.key < $1.key }.map { try $0.value.get() }
}

private final class Gathered<Value: Sendable>: Sendable {
    let results = Locked<[Int: Result<Value, any Error>]>([:])
}

/// The same of one body.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await onThreads(1) { _ in try body() }[0]
}
