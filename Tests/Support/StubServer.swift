import Foundation
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on loopback that answers every request with the bytes of the test, then closes the connection.
package final class StubServer: Sendable {
    package enum Behaviour: Sendable {
        case answer(String)
        /// Answers by the path; 404 for any other.
        case pages([String: String])
        /// Answers by the whole request.
        case reply(@Sendable (String) -> String)
        /// Reads the request and sends nothing until the stub server ends.
        case silence
        /// Sends an endless body, some 10 MB a second, until the client hangs up. At full speed, Foundation on Linux would
        /// process nothing else, not even its own end: for minutes under a sanitizer.
        case endless
    }

    package let port: Int
    private let listener: LoopbackListener
    /// Files of a certificate and its key: with them it speaks HTTPS.
    private let certificate: (chain: String, key: String)?
    private let state = Locked(State())
    /// An element for each client that hung up during an endless answer.
    package let hungUp: AsyncStream<Void>
    private let hangUps: AsyncStream<Void>.Continuation

    private struct State {
        var behaviour = Behaviour.silence
        var requests: [String] = []
        var texts: [String] = []
        var silent: [Int32] = []
        var isStopped = false
    }

    package init(_ behaviour: Behaviour, certificate: (chain: String, key: String)? = nil) throws {
        self.certificate = certificate
        (hungUp, hangUps) = AsyncStream.makeStream()
        listener = try LoopbackListener()
        port = listener.port
        state.withLock { $0.behaviour = behaviour }
        listener.serve { self.answer($0) }
    }

    package var url: String { "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)" }

    /// The request lines so far.
    package var requests: [String] { state.withLock { $0.requests } }

    /// The whole requests so far.
    package var texts: [String] { state.withLock { $0.texts } }

    package func behave(_ behaviour: Behaviour) {
        state.withLock { $0.behaviour = behaviour }
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        listener.stop()
        for connection in state.withLock({ $0.silent }) { close(connection) }
    }

    private func answer(_ descriptor: Int32) {
        var connection = LoopbackConnection(descriptor)
        if let certificate, !connection.encrypt(certificate) { return connection.end() }
        var head: [UInt8] = []
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.isWholeRequest {
            let count = connection.receive(&buffer)
            guard count > 0 else { return connection.end() }
            head += buffer[..<count]
            text = String(decoding: head, as: UTF8.self)
        }
        let line = String(decoding: head.prefix { $0 != 0x0d }, as: UTF8.self)
        let behaviour = state.withLock { state in
            state.requests.append(line)
            state.texts.append(text)
            return state.behaviour
        }
        switch behaviour {
        case .answer(let text):
            connection.send(Array(text.utf8))
            connection.end()
        case .pages(let pages):
            let path = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let answer = pages[path] ?? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            connection.send(Array(answer.utf8))
            connection.end()
        case .reply(let answer):
            connection.send(Array(answer(text).utf8))
            connection.end()
        case .silence:
            state.withLock { $0.silent.append(descriptor) }
        case .endless:
            connection.send(Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"current\": \"".utf8))
            let piece = [UInt8](repeating: 0x78, count: 65_536)
            // Some ten megabytes a second, until somebody hangs up.
            while !state.withLock({ $0.isStopped }), LoopbackListener.send(piece, descriptor) { usleep(6_000) }
            connection.end()
            hangUps.yield()
        }
    }
}

extension String {
    /// A head and as many bytes of ASCII as it tells. With some unread, the client might lose the answer to a reset.
    fileprivate var isWholeRequest: Bool {
        guard let end = utf8.firstRange(of: "\r\n\r\n".utf8) else { return false }
        let head = self[..<end.lowerBound].lowercased()
        let length = head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
        return utf8[end.upperBound...].count >= length ?? 0
    }
}

/// Complete responses.
extension String {
    /// In the documented form of Open-Meteo.
    package static let goodBody = """
        {"latitude":37.55,"longitude":127.0,"utc_offset_seconds":32400,"timezone":"Asia/Seoul",\
        "current_units":{"time":"iso8601"},\
        "current":{"time":"2026-11-20T17:15","interval":900,"temperature_2m":4.3,"weather_code":61},\
        "daily":{"time":["2026-11-20"],"temperature_2m_max":[9.1],"temperature_2m_min":[-0.4]}}
        """
    package static let good = ok(goodBody)

    package static func ok(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(body)"
    }
}
