import Foundation
import JSON
import Kanban
import Locks

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks an Open-Meteo compatible service. Waits without a thread of ours, takes no more than `answerLimit` bytes, and
/// gives up after `timeout`.
struct WeatherClient: Sendable {
    static let answerLimit = 64 * 1024

    private let service: URL
    private let timeout: Duration
    private let session: URLSession
    private let answers: Answers

    /// - Parameter service: the address of the forecast; `/v1/forecast` when it names no path.
    init(service: URL, timeout: Duration = .seconds(3)) {
        self.service =
            service.path.isEmpty || service.path == "/" ? service.appendingPathComponent("v1/forecast") : service
        self.timeout = timeout
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        // A margin above our own limit, so that Foundation cleans up even when ours was not obeyed.
        configuration.timeoutIntervalForRequest = Double(timeout.components.seconds) + 2
        configuration.httpMaximumConnectionsPerHost = 16
        answers = Answers()
        session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }

    /// - Throws: ``WeatherFault``.
    func weather(at place: Place) async throws -> Weather {
        guard let request = request(for: place) else { throw WeatherFault.unavailable }
        let bytes = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask { try await body(of: request) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw WeatherFault.timeout
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw WeatherFault.unavailable }
            return first
        }
        do {
            let answer = try JSON(parsing: bytes)
            guard let weather = Weather(openMeteo: answer, source: service.host ?? "") else {
                throw WeatherFault.unavailable
            }
            return weather
        } catch is JSONError {
            throw WeatherFault.unavailable
        }
    }

    private func request(for place: Place) -> URLRequest? {
        var components = URLComponents(url: service, resolvingAgainstBaseURL: false)
        let own = components?.queryItems ?? []
        components?.queryItems =
            own + [
                URLQueryItem(name: "latitude", value: Self.degrees(place.latitude)),
                URLQueryItem(name: "longitude", value: Self.degrees(place.longitude)),
                URLQueryItem(name: "current", value: "temperature_2m,weather_code"),
                URLQueryItem(name: "daily", value: "temperature_2m_max,temperature_2m_min"),
                URLQueryItem(name: "timezone", value: "auto"),
                URLQueryItem(name: "forecast_days", value: "1"),
            ]
        return components?.url.map { URLRequest(url: $0) }
    }

    private static func degrees(_ tenths: Int) -> String {
        "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    private func body(of request: URLRequest) async throws -> [UInt8] {
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answers.expect(task, continuation)
                task.resume()
            }
        } onCancel: {
            answers.abandon(task)
        }
    }
}

/// Collects what comes for each request, so that an answer without end can be cut off.
private final class Answers: NSObject, URLSessionDataDelegate {
    private struct Answer {
        var bytes: [UInt8] = []
        var isGood = false
        var continuation: CheckedContinuation<[UInt8], any Error>
    }

    private let pending = Locked<[Int: Answer]>([:])

    func expect(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<[UInt8], any Error>) {
        pending.withLock { $0[task.taskIdentifier] = Answer(continuation: continuation) }
        // Cancelled before there was anything to abandon.
        if Task.isCancelled { abandon(task) }
    }

    /// Ends the request. Foundation on Linux lets `cancel` wait for as long as data keeps coming in, so nobody waits for
    /// that: neither who asked nor the queue that brings the answers of others.
    func abandon(_ task: URLSessionTask, throwing error: any Error = CancellationError()) {
        let answer = pending.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        answer?.continuation.resume(throwing: error)
        DispatchQueue.global().async { task.cancel() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let length = response.expectedContentLength
        let isGood =
            (response as? HTTPURLResponse)?.statusCode == 200 && length <= Int64(WeatherClient.answerLimit)
        pending.withLock { $0[dataTask.taskIdentifier]?.isGood = isGood }
        completionHandler(isGood ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = pending.withLock { pending in
            pending[dataTask.taskIdentifier]?.bytes.append(contentsOf: data)
            return pending[dataTask.taskIdentifier].map { $0.bytes.count > WeatherClient.answerLimit } ?? true
        }
        if isTooLong { abandon(dataTask, throwing: WeatherFault.unavailable) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let answer = pending.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if error == nil, answer.isGood, answer.bytes.count <= WeatherClient.answerLimit {
            answer.continuation.resume(returning: answer.bytes)
        } else {
            let isTimeout = (error as? URLError)?.code == .timedOut
            answer.continuation.resume(throwing: isTimeout ? WeatherFault.timeout : WeatherFault.unavailable)
        }
    }
}
