import Foundation
import Kanban
import KanbanAccess
import KanbanPostgres
import Mail
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Parsing and formatting of an option's value, and what is allowed.
struct OptionValue<Value: Sendable>: Sendable {
    /// The placeholder on the help page: `PORT`.
    var placeholder: String
    /// For the error message: "a number from 0 to 65535".
    var allowed: String
    var parse: @Sendable (String) -> Value?
    /// The text that `parse` reads as this value; empty for an unset one.
    var show: @Sendable (Value) -> String
}

extension OptionValue where Value == Int {
    static func number(_ range: ClosedRange<Int>, _ placeholder: String = "N") -> Self {
        let allowed =
            range.upperBound == Int.max
            ? "a number from \(range.lowerBound)" : "a number from \(range.lowerBound) to \(range.upperBound)"
        return OptionValue(placeholder: placeholder, allowed: allowed) { text in
            digits(text).flatMap { range.contains($0) ? $0 : nil }
        } show: {
            String($0)
        }
    }

    /// Bytes, with an optional `KiB` or `MiB`.
    static func size(_ range: ClosedRange<Int>) -> Self {
        let allowed =
            "bytes from \(text(ofSize: range.lowerBound)) to \(text(ofSize: range.upperBound)), as 65536, 64KiB or 1MiB"
        return OptionValue(placeholder: "SIZE", allowed: allowed) { text in
            for (suffix, factor) in [("KiB", 1 << 10), ("MiB", 1 << 20), ("", 1)] where text.hasSuffix(suffix) {
                guard let count = digits(String(text.dropLast(suffix.count))) else { return nil }
                let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
                return overflow || !range.contains(bytes) ? nil : bytes
            }
            return nil
        } show: {
            text(ofSize: $0)
        }
    }

    private static func text(ofSize bytes: Int) -> String {
        if bytes > 0, bytes % (1 << 20) == 0 { return "\(bytes >> 20)MiB" }
        if bytes > 0, bytes % (1 << 10) == 0 { return "\(bytes >> 10)KiB" }
        return String(bytes)
    }
}

extension OptionValue where Value == Duration {
    /// A duration in seconds, or with a unit: `500ms`, `10s`, `2m`.
    static var time: Self {
        OptionValue(placeholder: "TIME", allowed: "a time over 0, at most a day, as 10, 10s, 500ms or 2m") { text in
            for (suffix, unit) in [("ms", 1), ("s", 1000), ("m", 60_000), ("", 1000)] where text.hasSuffix(suffix) {
                guard let count = digits(String(text.dropLast(suffix.count))), count <= 86_400_000 / unit, count > 0
                else { return nil }
                return .milliseconds(count * unit)
            }
            return nil
        } show: { time in
            let (seconds, attoseconds) = time.components
            return attoseconds == 0 ? "\(seconds)s" : "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
        }
    }
}

extension OptionValue where Value == String {
    static func text(_ placeholder: String, _ allowed: String = "some text") -> Self {
        OptionValue(placeholder: placeholder, allowed: allowed) {
            $0.isEmpty ? nil : $0
        } show: {
            $0
        }
    }

    static var directory: Self {
        OptionValue(placeholder: "DIRECTORY", allowed: "a directory; the address of a database belongs to --database") {
            // A directory of such a name would be served, empty, in the place of the database.
            $0.isEmpty || $0.contains("://") ? nil : $0
        } show: {
            $0
        }
    }

    /// A numeric address, or `localhost`.
    static var host: Self {
        OptionValue(placeholder: "ADDRESS", allowed: "an IPv4 or IPv6 address, or localhost") { text in
            var room = in6_addr()
            return text == "localhost" || inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
                ? text : nil
        } show: {
            $0
        }
    }

    /// A numeric address, or a block of them.
    static var network: Self {
        OptionValue(
            placeholder: "ADDRESS[/BITS]", allowed: "an IPv4 or IPv6 address or network, as 127.0.0.1 or 172.18.0.0/16"
        ) {
            AddressBlock($0) == nil ? nil : $0
        } show: {
            $0
        }
    }

    /// `smtp://user:password@host:587` or `smtps:`.
    static var mailServer: Self {
        OptionValue(placeholder: "URL", allowed: "an smtp:// or smtps:// address") {
            MailServer.isAddress($0) ? $0 : nil
        } show: {
            $0
        }
    }

    /// `postgres://user@host/database`
    static var database: Self {
        OptionValue(placeholder: "URL", allowed: "a postgres:// address with a port and parameters that libpq knows") {
            PostgresTarget.isAddress($0) ? $0 : nil
        } show: {
            $0
        }
    }

    static var email: Self {
        OptionValue(placeholder: "EMAIL", allowed: "an e-mail address") {
            EmailAddress($0)?.text
        } show: {
            $0
        }
    }

    static var appleIdentifier: Self {
        OptionValue(placeholder: "ID", allowed: "ten capital letters and digits, as A1B2C3D4E5") { text in
            let isPart = { (byte: UInt8) in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
            return text.utf8.count == 10 && text.utf8.allSatisfy(isPart) ? text : nil
        } show: {
            $0
        }
    }

    static var pushService: Self {
        OptionValue(placeholder: "HOST[:PORT]", allowed: "a host, as push.example.com or push.example.com:8443") {
            text in
            WebPushServices.isPlace(text) ? text : nil
        } show: {
            $0
        }
    }

    static var timeZone: Self {
        OptionValue(placeholder: "ZONE", allowed: "an IANA name such as Asia/Seoul or UTC") { text in
            Zone(name: text).map(\.name)
        } show: {
            $0
        }
    }

    /// A scheme and an authority without a path (an origin of RFC 6454), as browsers write it: in lower case, without
    /// the default port of the scheme. Web views of apps have their own schemes.
    static var origin: Self {
        OptionValue(placeholder: "ORIGIN", allowed: "scheme, host and port of a page, as https://app.example.com") {
            text in
            guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
                url.path.isEmpty, url.query == nil, url.fragment == nil, url.user == nil,
                // A browser sends the host of https://bücher.example as xn--bcher-kva.example.
                text.utf8.allSatisfy({ $0 < 0x80 })
            else { return nil }
            let usual = ["http": 80, "https": 443][scheme.lowercased()]
            return "\(scheme)://\(host)".lowercased() + (url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? "")
        } show: {
            $0
        }
    }

    /// The address of a server that gets secrets: only it and this machine may read them.
    static var trustworthyURL: Self {
        OptionValue(placeholder: "URL", allowed: "an https address, or an http address of this machine") { text in
            guard Provider.isTrustworthy(text) else { return nil }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        } show: {
            $0
        }
    }

    static var url: Self {
        OptionValue(placeholder: "URL", allowed: "an http:// or https:// address") { text in
            guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme),
                url.host?.isEmpty == false
            else { return nil }
            return text
        } show: {
            $0
        }
    }
}

extension OptionValue where Value == SocketAddress {
    /// A numeric address, or `localhost`, with a port.
    static var listener: Self {
        OptionValue(
            placeholder: "HOST:PORT", allowed: "an address and a port, as 127.0.0.1:9090, [::1]:9090 or localhost:9090"
        ) { text in
            guard let colon = text.lastIndex(of: ":"),
                let port = digits(String(text[text.index(after: colon)...])).flatMap(UInt16.init(exactly:))
            else { return nil }
            let host = text[..<colon] == "localhost" ? "127.0.0.1" : text[..<colon]
            guard host.hasPrefix("[") == host.contains(":"), let address = SocketAddress(numeric: String(host)) else {
                return nil
            }
            return SocketAddress(host: address.host, port: port)
        } show: {
            $0.description
        }
    }
}

extension OptionValue where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the names of the enumeration.
    static var name: Self {
        let names = Value.allCases.map(\.rawValue)
        return OptionValue(
            placeholder: names.joined(separator: "|"), allowed: names.joined(separator: " or "),
            parse: { Value(rawValue: $0) }, show: { $0.rawValue })
    }
}

extension OptionValue {
    /// The same, for a member that may be unset. `fallback` describes the unset member on the help page.
    func optional(unset fallback: String = "") -> OptionValue<Value?> {
        OptionValue<Value?>(placeholder: placeholder, allowed: allowed) { text in
            parse(text).map(Optional.some)
        } show: { value in
            value.map(show) ?? fallback
        }
    }
}

extension OptionValue where Value == Int {
    /// The same, or the word `default`.
    func orDefault() -> OptionValue<Configuration.LimitChoice> {
        OptionValue<Configuration.LimitChoice>(placeholder: "\(placeholder)|default", allowed: "\(allowed), or default")
        { text in
            text == "default" ? .standard : parse(text).map(Configuration.LimitChoice.own)
        } show: { choice in
            if case .own(let limit) = choice { show(limit) } else { "default" }
        }
    }
}

/// Digits only, unlike `Int.init`, which accepts a sign.
private func digits(_ text: String) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
}
