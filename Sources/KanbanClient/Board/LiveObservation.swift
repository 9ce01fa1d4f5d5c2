import Dispatch
import Locks

/// An observer of a live value. It ends with ``cancel()``, and when it is released.
public final class LiveObservation: Sendable {
    private let following: Task<Void, Never>
    private let isOver: Locked<Bool>

    fileprivate init(_ isOver: Locked<Bool>, _ following: Task<Void, Never>) {
        self.isOver = isOver
        self.following = following
    }

    /// No call begins after this one has returned.
    public func cancel() {
        isOver.withLock { $0 = true }
        following.cancel()
    }

    deinit {
        cancel()
    }
}

extension Live {
    /// Calls the closure on the main actor with the value and each later one: for UIKit. The first call comes before this one
    /// returns, so that the first frame is not empty.
    /// - Parameter failed: called once when the value can no longer be read.
    @MainActor
    public func observe(
        failed: @escaping @MainActor (any Error) -> Void = { _ in }, _ receive: @escaping @MainActor (Value) -> Void
    ) -> LiveObservation {
        let isOver = Locked(false)
        // An error comes with the sequence.
        let first = try? current()
        if let first { receive(first) }
        return LiveObservation(
            isOver,
            Task { @MainActor in
                var known = first
                do {
                    for try await value in self {
                        guard !isOver.withLock({ $0 }) else { return }
                        if let last = known, isSame(last, value) { continue }
                        known = value
                        receive(value)
                    }
                } catch {
                    if !isOver.withLock({ $0 }) { failed(error) }
                }
            })
    }

    /// Calls the closure on the queue with the value and each later one. Values that come while it runs are passed over, but for
    /// the newest.
    /// - Parameter failed: called once, on the queue, when the value can no longer be read.
    public func observe(
        on queue: DispatchQueue, failed: @escaping @Sendable (any Error) -> Void = { _ in },
        _ receive: @escaping @Sendable (Value) -> Void
    ) -> LiveObservation {
        let isOver = Locked(false)
        @Sendable func call(_ body: @escaping @Sendable () -> Void) async {
            await withCheckedContinuation { done in
                queue.async {
                    if !isOver.withLock({ $0 }) { body() }
                    done.resume()
                }
            }
        }
        return LiveObservation(
            isOver,
            Task {
                do {
                    for try await value in self { await call { receive(value) } }
                } catch {
                    await call { failed(error) }
                }
            })
    }
}

#if canImport(Combine)
    import Combine

    extension Live {
        /// The value and each later one, for Combine, on a thread of the library: `.receive(on: DispatchQueue.main)`. A subscriber that
        /// asks for less than comes gets the newest.
        public var publisher: AnyPublisher<Value, any Error> {
            Deferred {
                let values = Values<Value>()
                let following = Task {
                    do {
                        for try await value in self { values.subject.send(value) }
                        values.subject.send(completion: .finished)
                    } catch {
                        values.subject.send(completion: .failure(error))
                    }
                }
                return values.subject.compactMap { $0 }.handleEvents(receiveCancel: { following.cancel() })
            }.eraseToAnyPublisher()
        }
    }

    /// Unchecked: a subject may be sent values on any thread; one task sends them.
    private struct Values<Value: Sendable>: @unchecked Sendable {
        let subject = CurrentValueSubject<Value?, any Error>(nil)
    }
#endif
