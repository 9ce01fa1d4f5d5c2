import Foundation
import Locks

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The way over `URLSession`, on Apple's platforms. One for the process: sessions keep connections. On Linux it is compiled
/// and tested, and apps use `CurlTransport`.
final class URLSessionTransport: NSObject, Transport {
    static let shared = URLSessionTransport()

    /// What a task's pieces go to.
    private typealias Pieces = AsyncThrowingStream<StreamPiece, any Error>.Continuation

    /// Foundation ends with these before it sends the request.
    private static let withoutConnection: Set<URLError.Code> = [
        .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .secureConnectionFailed,
        .dataNotAllowed, .internationalRoamingOff,
    ]

    /// The same, because of the server's certificate.
    private static let ofCertificate: Set<URLError.Code> = [
        .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
        .serverCertificateNotYetValid,
    ]

    private let streams = Locked<[Int: Pieces]>([:])
    private let session = Locked<URLSession?>(nil)

    private var current: URLSession {
        session.withLock { session in
            if let session { return session }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpMaximumConnectionsPerHost = 32
            // Not one at a time for all: a queue of its own, serial as Foundation wants it.
            let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
            session = made
            return made
        }
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        var request = request
        request.timeoutInterval = Double(timeout.components.seconds)
        let task = current.dataTask(with: request)
        return AsyncThrowingStream { pieces in
            streams.withLock { $0[task.taskIdentifier] = pieces }
            pieces.onTermination = { ending in
                if case .cancelled = ending { task.cancel() }
            }
            task.resume()
        }
    }
}

extension URLSessionTransport {
    static func networkError(_ error: any Error) -> NetworkError {
        guard let code = (error as? URLError)?.code else { return NetworkError() }
        if ofCertificate.contains(code) { return NetworkError(neverLeft: true, distrust: "URLError \(code.rawValue)") }
        return NetworkError(neverLeft: withoutConnection.contains(code))
    }
}

extension URLSessionTransport: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            let headers = response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
            streams.withLock { $0[dataTask.taskIdentifier] }?.yield(
                .head(status: response.statusCode, headers: Dictionary(headers, uniquingKeysWith: { $1 })))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        streams.withLock { $0[dataTask.taskIdentifier] }?.yield(.bytes([UInt8](data)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let pieces = streams.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let error else { return pieces?.finish() ?? () }
        pieces?.finish(throwing: Self.networkError(error))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        // The token goes to the server that it belongs to, and to no other.
        completionHandler(nil)
    }
}
