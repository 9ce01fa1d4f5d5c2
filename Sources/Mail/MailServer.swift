import CCurl
import Fetch
import Foundation

/// A client of an SMTP server (RFC 5321), with libcurl.
package struct MailServer: Sendable {
    /// STARTTLS for `smtp:` (RFC 3207). `smtps:` is encrypted from the start.
    package enum StartTLS: String, Sendable, CaseIterable {
        /// No mail is sent without it.
        case required
        /// Used if the server offers it.
        case offered
        case off
    }

    /// The server did not accept the mail. The text contains no address and no password.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    private let url: String
    private let startTLS: StartTLS
    private let authorities: String?
    private let timeout: Duration

    /// - Parameters:
    ///   - url: `smtp://user:password@host:587`, or `smtps:`; see ``isAddress(_:)``.
    ///   - startTLS: `nil`: required; on a loopback address used if offered.
    ///   - authorities: a file of certificates (PEM) to trust instead of the system's.
    package init(
        url: String, startTLS: StartTLS? = nil, authorities: String? = nil, timeout: Duration = .seconds(30)
    ) {
        self.url = url
        self.startTLS = startTLS ?? (Self.isLoopback(url) ? .offered : .required)
        self.authorities = authorities
        self.timeout = timeout
    }

    /// True if the text is a URL of a mail server.
    package static func isAddress(_ text: String) -> Bool {
        let lower = text.lowercased()
        guard lower.hasPrefix("smtp://") || lower.hasPrefix("smtps://") else { return false }
        return !host(in: text).isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Delivers a mail. Returns when the server has accepted it.
    /// - Throws: ``Refusal``; `CancellationError` when the task is cancelled; then the server may have the mail all the
    ///   same.
    package func send(_ message: EmailMessage, at seconds: Int, identifier: String) async throws {
        guard Self.canWrite(message.sender), Self.canWrite(message.recipient) else {
            throw Refusal(description: "the address cannot be written in a mail")
        }
        do {
            let transfer = try Transfer(url, schemes: "smtp,smtps", timeout: timeout, limit: 64 << 10)
            transfer.set(CURLOPT_MAIL_FROM, "<\(message.sender)>")
            transfer.set(CURLOPT_MAIL_RCPT, list: ["<\(message.recipient)>"])
            let level =
                switch startTLS {
                case .required: CURLUSESSL_ALL
                case .offered: CURLUSESSL_TRY
                case .off: CURLUSESSL_NONE
                }
            transfer.set(CURLOPT_USE_SSL, Int(level.rawValue))
            // Proxies of the environment are for the web.
            transfer.set(CURLOPT_PROXY, "")
            if let authorities { transfer.set(CURLOPT_CAINFO, authorities) }
            transfer.send(message.encoded(at: seconds, identifier: identifier))
            _ = try await transfer.perform()
        } catch Transfer.Fault.failed(let code, let reason, let status) {
            throw Refusal(description: "\(reason) (\(code))" + (status == 0 ? "" : ", the server says \(status)"))
        } catch Transfer.Fault.timeout {
            throw Refusal(description: "no answer in time")
        } catch Transfer.Fault.tooLong {
            throw Refusal(description: "an answer without end")
        } catch Transfer.Fault.cancelled {
            throw CancellationError()
        }
    }

    /// True if the server reads the same address in angle brackets: nothing in it ends the brackets or the line.
    private static func canWrite(_ address: String) -> Bool {
        var isQuoted = false
        var bytes = Substring(address).utf8
        while let byte = bytes.popFirst() {
            switch byte {
            case ..<0x20, 0x7f: return false
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\"):
                guard isQuoted, let next = bytes.popFirst(), next >= 0x20, next != 0x7f else { return false }
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: " "):
                if !isQuoted { return false }
            default: break
            }
        }
        return !isQuoted
    }

    private static func host(in url: String) -> Substring {
        guard let start = url.range(of: "://")?.upperBound else { return "" }
        let authority = url[start...].prefix { $0 != "/" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return place.hasPrefix("[") ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
    }

    private static func isLoopback(_ url: String) -> Bool {
        let host = host(in: url)
        return host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
