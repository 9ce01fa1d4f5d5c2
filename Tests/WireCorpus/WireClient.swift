import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A client that knows exactly what it sends and takes answers apart strictly.
final class WireClient {
    struct Answer {
        var status = 0
        var fields: [(name: String, value: String)] = []
        var body: [UInt8] = []

        func value(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    enum Failure: Error, CustomStringConvertible {
        case noConnection
        case timedOut
        case reset
        case malformed(String)

        var description: String {
            switch self {
            case .noConnection: "no connection"
            case .timedOut: "nothing came in time"
            case .reset: "the connection was reset"
            case .malformed(let what): "malformed answer: \(what)"
            }
        }
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(host: String, port: UInt16, timeout: Int) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var time = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw Failure.noConnection
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends as much as the server takes: it may have closed already, which is then seen when reading.
    func send(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func halfClose() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next answer, `nil` when the server closed instead.
    func answer(hasNoBody: Bool) throws -> Answer? {
        guard let head = try line(orEnd: true) else { return nil }
        let parts = head.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3, let status = Int(parts[1]) else {
            throw Failure.malformed("status line \(head)")
        }
        var answer = Answer(status: status)
        while let field = try line(), !field.isEmpty {
            let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Failure.malformed("field \(field)") }
            answer.fields.append((String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)))
        }
        if hasNoBody || status < 200 || status == 204 || status == 304 { return answer }
        if answer.value("transfer-encoding") == "chunked" {
            while let size = Int(try line() ?? "", radix: 16), size > 0 {
                answer.body += try take(size)
                guard try take(2) == [0x0D, 0x0A] else { throw Failure.malformed("chunk") }
            }
            _ = try take(2)
        } else if let length = answer.value("content-length") {
            guard let length = Int(length) else { throw Failure.malformed("Content-Length \(length)") }
            answer.body = try take(length)
        } else {
            while try receiveMore() {}
            answer.body = received
            received = []
        }
        return answer
    }

    /// What came besides the answers that were asked for, up to the end of the connection.
    func rest() throws -> [UInt8] {
        while try receiveMore() {}
        return received
    }

    private func line(orEnd: Bool = false) throws -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                guard end > 0, received[end - 1] == 0x0D else { throw Failure.malformed("bare LF") }
                let text = String(decoding: received[..<(end - 1)], as: UTF8.self)
                received.removeFirst(end + 1)
                return text
            }
            if try !receiveMore() {
                if orEnd, received.isEmpty { return nil }
                throw Failure.malformed("it ended early")
            }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while received.count < count {
            if try !receiveMore() { throw Failure.malformed("its body ended early") }
        }
        let bytes = Array(received[..<count])
        received.removeFirst(count)
        return bytes
    }

    private func receiveMore() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { throw errno == EAGAIN || errno == EWOULDBLOCK ? Failure.timedOut : Failure.reset }
        received += buffer[..<count]
        return count > 0
    }
}
