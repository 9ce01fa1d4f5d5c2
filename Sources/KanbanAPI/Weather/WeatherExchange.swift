import Foundation
import Locks

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gets the body behind an address.
/// - Throws: ``WeatherFault``, or `CancellationError` as soon as the task is cancelled.
package typealias WeatherFetch = @Sendable (URL) async throws -> [UInt8]

extension WeatherService {
    /// Bytes of the longest answer that is taken.
    package static let answerLimit = 64 * 1024

    /// Fetches within this process. Waits without a thread of ours.
    ///
    /// Foundation on Linux ends the process when a service hangs up within the head of its answer, or announces 2⁶³
    /// bytes, so a server had better have another process do this.
    package static func directFetch(timeout: Duration) -> WeatherFetch {
        let floods = Floods()
        return { address in
            let exchange = WeatherExchange(timeout: timeout, floods: floods)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { exchange.begin(URLRequest(url: address), $0) }
            } onCancel: {
                exchange.abandon(throwing: CancellationError())
            }
        }
    }
}

/// One request to the weather service and what came back, so that an answer without end can be cut off.
///
/// Foundation on Linux does all the work of a session on one queue, which a fast answer keeps busy: to ask for more
/// there, or to cancel, waits. So each request has a session of its own, nobody waits for the end of a cancelled one,
/// and while some are still to end there are no new ones.
final class WeatherExchange: NSObject, URLSessionDataDelegate {
    private struct State {
        var bytes: [UInt8] = []
        var isGood = false
        /// `nil` before it began and after it was answered.
        var continuation: CheckedContinuation<[UInt8], any Error>?
        var session: URLSession?
        var isOver = false
    }

    private let timeout: Duration
    private let floods: Floods
    private let queue = DispatchQueue(label: "kanbase.weather")
    private let state = Locked(State())

    init(timeout: Duration, floods: Floods) {
        self.timeout = timeout
        self.floods = floods
    }

    /// Resumes the continuation once: with a body of at most ``WeatherService/answerLimit`` bytes, or a ``WeatherFault``.
    func begin(_ request: URLRequest, _ continuation: CheckedContinuation<[UInt8], any Error>) {
        guard floods.areFew else { return continuation.resume(throwing: WeatherFault.unavailable) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        // A margin above our own limit, so that Foundation cleans up even when ours was not obeyed.
        configuration.timeoutIntervalForRequest = Double(timeout.components.seconds) + 1
        // On a queue with a thread for itself: the pool that others share gives none while a fast answer comes in, and
        // what came would pile up.
        let delegateQueue = OperationQueue()
        delegateQueue.maxConcurrentOperationCount = 1
        delegateQueue.underlyingQueue = queue
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: delegateQueue)
        // Before anybody can end the session: Foundation ends the process when an ended one is asked for a task.
        let task = session.dataTask(with: request)
        let isOver = state.withLock { state in
            state.continuation = continuation
            state.session = session
            return state.isOver
        }
        // Cancelled before there was anything to abandon.
        if isOver { return abandon(throwing: CancellationError()) }
        task.resume()
        session.finishTasksAndInvalidate()
    }

    /// Ends the request.
    func abandon(throwing error: any Error) {
        let (continuation, session) = state.withLock { state in
            defer {
                state.continuation = nil
                state.session = nil
                state.bytes = []
                state.isOver = true
            }
            return (state.continuation, state.session)
        }
        continuation?.resume(throwing: error)
        guard let session else { return }
        floods.begin(self)
        DispatchQueue(label: "kanbase.weather.end").async { session.invalidateAndCancel() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let length = response.expectedContentLength
        let isGood =
            (response as? HTTPURLResponse)?.statusCode == 200 && length <= Int64(WeatherService.answerLimit)
        state.withLock { $0.isGood = isGood }
        completionHandler(isGood ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            guard !state.isOver else { return false }
            state.bytes.append(contentsOf: data)
            return state.bytes.count > WeatherService.answerLimit
        }
        if isTooLong { abandon(throwing: WeatherFault.unavailable) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        floods.end(self)
        let answer = state.withLock { state in
            defer {
                state.continuation = nil
                state.session = nil
                state.isOver = true
            }
            return state
        }
        guard let continuation = answer.continuation else { return }
        if error == nil, answer.isGood {
            continuation.resume(returning: answer.bytes)
        } else {
            let isTimeout = (error as? URLError)?.code == .timedOut
            continuation.resume(throwing: isTimeout ? WeatherFault.timeout : WeatherFault.unavailable)
        }
    }
}

/// The requests to a service that were abandoned and did not end yet. Each may keep a processor busy with what nobody reads.
final class Floods: Sendable {
    private static let most = 2
    /// One whose end was never told counts no longer.
    private static let patience = Duration.seconds(30)

    private let running = Locked<[ObjectIdentifier: ContinuousClock.Instant]>([:])

    var areFew: Bool {
        running.withLock { running in
            let now = ContinuousClock.now
            running = running.filter { $0.value > now }
            return running.count < Self.most
        }
    }

    func begin(_ exchange: WeatherExchange) {
        running.withLock { $0[ObjectIdentifier(exchange)] = ContinuousClock.now + Self.patience }
    }

    func end(_ exchange: WeatherExchange) {
        running.withLock { $0[ObjectIdentifier(exchange)] = nil }
    }
}
