import Foundation
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A mail server on loopback (RFC 5321) with the behaviour that the test sets; it keeps the mails that it got.
package final class StubMailServer: Sendable {
    package enum Behaviour: Sendable {
        case accept
        /// Accepts the connection and sends nothing until the stub server ends.
        case silence
        /// Answers every recipient with 550.
        case refuse
        /// Hangs up during the mail.
        case drop
        /// Reads the whole mail and hangs up without an answer.
        case swallow
    }

    /// One mail of a client.
    package struct Mail: Sendable {
        package var sender: String
        package var recipient: String
        /// As received, without dot-stuffing.
        package var message: String
        package var isEncrypted: Bool

        /// A header's raw value, with folded lines.
        package func header(_ name: String) -> String? {
            let head = message.components(separatedBy: "\r\n\r\n")[0].replacingOccurrences(of: "\r\n ", with: "\n")
            return head.components(separatedBy: "\r\n").first { $0.hasPrefix("\(name): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }

        /// The text, decoded.
        package var text: String {
            let parts = message.components(separatedBy: "\r\n\r\n")
            let body = parts.dropFirst().joined(separator: "\r\n\r\n")
            guard header("Content-Transfer-Encoding") == "base64" else { return body }
            let data = Data(base64Encoded: body, options: .ignoreUnknownCharacters) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }

        /// Its code: the only line of 32 characters of base 32.
        package var code: String? {
            text.components(separatedBy: .newlines).map { $0.trimmingCharacters(in: .whitespaces) }.first {
                $0.utf8.count == 32 && $0.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz234567".utf8.contains($0) }
            }
        }
    }

    private struct State {
        var behaviour: Behaviour
        var mails: [Mail] = []
        var connections = 0
        var silent: [Int32] = []
    }

    package let port: Int
    private let listener: LoopbackListener
    private let state: Locked<State>
    /// Files of a certificate and its key; with them it offers STARTTLS.
    private let certificate: (chain: String, key: String)?

    package init(_ behaviour: Behaviour = .accept, certificate: (chain: String, key: String)? = nil) throws {
        state = Locked(State(behaviour: behaviour))
        self.certificate = certificate
        listener = try LoopbackListener()
        port = listener.port
        listener.serve { self.serve($0) }
    }

    package var url: String { "smtp://127.0.0.1:\(port)" }
    package var mails: [Mail] { state.withLock { $0.mails } }
    package var connections: Int { state.withLock { $0.connections } }

    package func behave(_ behaviour: Behaviour) {
        state.withLock { $0.behaviour = behaviour }
    }

    package func stop() {
        listener.stop()
        for connection in state.withLock({ $0.silent }) { close(connection) }
    }

    private func serve(_ connection: Int32) {
        let behaviour = state.withLock { state in
            state.connections += 1
            if case .silence = state.behaviour { state.silent.append(connection) }
            return state.behaviour
        }
        if case .silence = behaviour { return }
        var line = Line(connection)
        defer { line.end() }
        line.say("220 stub ESMTP")
        var sender = ""
        var recipient = ""
        while let command = line.next() {
            let verb = command.prefix(4).uppercased()
            switch verb {
            case "EHLO":
                let offersTLS = certificate != nil && !line.isEncrypted
                line.say("250-stub\r\n" + (offersTLS ? "250-STARTTLS\r\n" : "") + "250 8BITMIME")
            case "STAR":
                guard let certificate else { return }
                line.say("220 go on")
                guard line.encrypt(certificate) else { return }
            case "MAIL":
                sender = Self.address(in: command)
                line.say("250 fine")
            case "RCPT":
                recipient = Self.address(in: command)
                if case .refuse = behaviour {
                    line.say("550 no such person")
                } else {
                    line.say("250 fine")
                }
            case "DATA":
                line.say("354 go on")
                var lines: [String] = []
                while let text = line.next(), text != "." {
                    lines.append(text.hasPrefix(".") ? String(text.dropFirst()) : text)
                    if case .drop = behaviour { return }
                }
                if case .swallow = behaviour { return }
                let mail = Mail(
                    sender: sender, recipient: recipient, message: lines.joined(separator: "\r\n"),
                    isEncrypted: line.isEncrypted)
                state.withLock { $0.mails.append(mail) }
                line.say("250 taken")
            case "QUIT":
                line.say("221 bye")
                return
            default: line.say("250 fine")
            }
        }
    }

    private static func address(in command: String) -> String {
        command.split(separator: "<").last.map { String($0.prefix { $0 != ">" }) } ?? ""
    }
}

/// A connection of lines, encrypted or not.
private struct Line {
    private var connection: LoopbackConnection
    private var waiting: [UInt8] = []

    var isEncrypted: Bool { connection.isEncrypted }

    init(_ descriptor: Int32) {
        connection = LoopbackConnection(descriptor)
    }

    func say(_ text: String) {
        connection.send(Array("\(text)\r\n".utf8))
    }

    mutating func next() -> String? {
        while true {
            if let end = waiting.firstIndex(of: 0x0a) {
                let line = waiting[..<end].last == 0x0d ? waiting[..<(end - 1)] : waiting[..<end]
                defer { waiting.removeSubrange(...end) }
                return String(decoding: line, as: UTF8.self)
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = connection.receive(&piece)
            guard count > 0 else { return nil }
            waiting += piece.prefix(count)
        }
    }

    mutating func encrypt(_ certificate: (chain: String, key: String)) -> Bool {
        connection.encrypt(certificate)
    }

    func end() {
        connection.end()
    }
}

extension TemporaryDirectory {
    /// A self-signed certificate for this machine and its key, by the openssl command, in `certificate.pem` and `key.pem`.
    package func makeCertificate() throws -> (chain: String, key: String) {
        let made = try ChildProcess.run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2",
                "-keyout", file("key.pem"), "-out", file("certificate.pem"),
            ], environment: ProcessInfo.processInfo.environment)
        guard made.ending == .exited(0) else { throw ChildProcessError(description: made.errors) }
        return (file("certificate.pem"), file("key.pem"))
    }
}
