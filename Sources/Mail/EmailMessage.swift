import Foundation

/// A plain-text mail to one person, and its form on the wire (RFC 5322, RFC 2045).
package struct EmailMessage: Hashable, Sendable {
    /// Addresses, without a name and without white space.
    package var sender: String
    package var recipient: String
    package var subject: String
    package var text: String
    /// The address that ends such mails with one click, by a POST (RFC 8058).
    package var unsubscribe: String?

    package init(
        from sender: String, to recipient: String, subject: String, text: String, unsubscribe: String? = nil
    ) {
        self.sender = sender
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.unsubscribe = unsubscribe
    }

    /// The whole message.
    /// - Parameters:
    ///   - seconds: the date, since 1970.
    ///   - identifier: a unique name of this message.
    package func encoded(at seconds: Int, identifier: String) -> [UInt8] {
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 } && text.split(separator: "\n").allSatisfy { $0.count <= 900 }
        let domain = sender.split(separator: "@").last ?? "localhost"
        var head = [
            "From: <\(sender)>",
            "To: <\(recipient)>",
            "Subject: \(Self.encodedWords(subject))",
            "Date: \(Self.date(seconds))",
            "Message-ID: <\(identifier)@\(domain)>",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(isPlain ? "7bit" : "base64")",
            // Automatic replies are not wanted (RFC 3834 §5).
            "Auto-Submitted: auto-generated",
        ]
        if let unsubscribe {
            head.append("List-Unsubscribe: <\(unsubscribe)>")
            // Mail programs may do it for their user with https alone (RFC 8058 §3.1).
            if unsubscribe.hasPrefix("https:") { head.append("List-Unsubscribe-Post: List-Unsubscribe=One-Click") }
        }
        let body =
            isPlain ? text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) : base64Lines
        return Array((head + [""] + body).joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }

    private var base64Lines: [String] {
        let options: Data.Base64EncodingOptions = [.lineLength76Characters, .endLineWithLineFeed]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        return Data(lines.utf8).base64EncodedString(options: options).split(separator: "\n").map(String.init)
    }

    /// A header's text: ASCII as it is, else encoded words of at most 75 characters (RFC 2047 §2).
    static func encodedWords(_ text: String) -> String {
        guard text.utf8.contains(where: { !(0x20..<0x7f).contains($0) }) else { return text }
        var words: [String] = []
        var piece = ""
        func flush() {
            if !piece.isEmpty { words.append("=?utf-8?B?\(Data(piece.utf8).base64EncodedString())?=") }
            piece = ""
        }
        for character in text.unicodeScalars {
            // 45 bytes are 60 characters of base 64. Do not split a character.
            if piece.utf8.count + String(character).utf8.count > 45 { flush() }
            piece.unicodeScalars.append(character)
        }
        flush()
        return words.joined(separator: "\r\n ")
    }

    /// `Fri, 20 Nov 2026 08:19:00 +0000` (RFC 5322 §3.3).
    static func date(_ seconds: Int) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
        let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][
            Int(parts.tm_mon)]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(day), \(parts.tm_mday) \(month) \(Int(parts.tm_year) + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) +0000"
    }
}
