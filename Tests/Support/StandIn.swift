import Foundation
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on loopback that answers every request as the test wants: with these bytes, then by closing.
package final class StandIn: Sendable {
    package enum Behaviour: Sendable {
        case answer(String)
        /// Takes the request and says nothing until the stand-in ends.
        case silence
        /// Sends a body without end, some 10 MB a second, until the client hangs up. As fast as it can, it would keep
        /// Foundation on Linux from hearing of anything else, its own end included: for minutes, under a sanitizer.
        case endless
    }

    package struct Failure: Error {}

    package let port: Int
    private let listener: Int32
    private let state = Locked(State())
    /// An element for each client that hung up during an endless answer.
    package let hungUp: AsyncStream<Void>
    private let hangUps: AsyncStream<Void>.Continuation

    private struct State {
        var behaviour = Behaviour.silence
        var requests: [String] = []
        var silent: [Int32] = []
        var isStopped = false
    }

    package init(_ behaviour: Behaviour) throws {
        (hungUp, hangUps) = AsyncStream.makeStream()
        listener = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        // The socket calls of C take an address of any family through a pointer to its common beginning.
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = Int(UInt16(bigEndian: address.sin_port))
        state.withLock { $0.behaviour = behaviour }
        Thread.detachNewThread { self.serve() }
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// The request lines so far.
    package var requests: [String] { state.withLock { $0.requests } }

    package func behave(_ behaviour: Behaviour) {
        state.withLock { $0.behaviour = behaviour }
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in state.withLock({ $0.silent }) { close(connection) }
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else {
                // Not in `stop`: this thread might then take the clients of whoever gets the same number.
                close(listener)
                return
            }
            Thread.detachNewThread { self.answer(connection) }
        }
    }

    private func answer(_ connection: Int32) {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !head.ends(with: "\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else {
                close(connection)
                return
            }
            head += buffer[..<count]
        }
        let line = String(decoding: head.prefix { $0 != 0x0d }, as: UTF8.self)
        let behaviour = state.withLock { state in
            state.requests.append(line)
            return state.behaviour
        }
        switch behaviour {
        case .answer(let text):
            send(Array(text.utf8), connection)
            close(connection)
        case .silence:
            state.withLock { $0.silent.append(connection) }
        case .endless:
            send(Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"current\": \"".utf8), connection)
            let piece = [UInt8](repeating: 0x78, count: 65_536)
            while !state.withLock({ $0.isStopped }), send(piece, connection) { usleep(6_000) }
            close(connection)
            hangUps.yield()
        }
    }

    @discardableResult
    private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendQuietly(connection, $0) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func sendQuietly(_ connection: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            Darwin.send(connection, bytes.baseAddress, bytes.count, 0)
        #endif
    }

    private static var stream: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}

/// Whole answers.
extension String {
    /// As Open-Meteo documents it.
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
