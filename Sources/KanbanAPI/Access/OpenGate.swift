import Foundation
import HTTP
import Kanban

/// `--auth open`: every caller is the built-in account, so the gate must refuse foreign web pages. A page can make a
/// browser send requests here, but it cannot forge `Origin` and `Sec-Fetch-Site`, or `Host` after it bound its own name to
/// this address.
package final class OpenGate: Gate {
    private let requiresLoopbackHost: Bool
    private let crossOrigin: CrossOrigin

    /// - Parameter requiresLoopbackHost: true if `Host` must be a loopback name or address; for servers that listen on
    ///   one. Only the operator knows the names of other servers.
    package init(requiresLoopbackHost: Bool = true, crossOrigin: CrossOrigin = CrossOrigin()) {
        self.requiresLoopbackHost = requiresLoopbackHost
        self.crossOrigin = crossOrigin
    }

    package func screen(_ head: Request) throws(Problem) -> Opening {
        // A request without Host is HTTP/1.0 and not from a browser.
        if requiresLoopbackHost, !Self.isUsual(head), let host = head.host, !Self.isLoopback(host) {
            throw Problem(.misdirectedRequest)
        }
        guard head.namesPage else { return .everything }
        guard head.has("origin") else { return try screenSite(of: head) }
        guard let origin = CrossOrigin.origin(of: head), isOwn(origin, head) || crossOrigin.allows(origin) else {
            throw Problem(.foreignOrigin)
        }
        return .everything
    }

    /// Refuses what a browser asks for a page of another site (Fetch Metadata Request Headers). Browsers send no `Origin` with
    /// images, scripts, frames and links; the page cannot read the answers, but it can time them.
    private func screenSite(of head: Request) throws(Problem) -> Opening {
        let headers = head.headers
        // `none`: a person, with a bookmark or the address bar.
        if headers.has("sec-fetch-site", equalTo: "same-origin") || headers.has("sec-fetch-site", equalTo: "none") {
            return .everything
        }
        guard head.method == .get || head.method == .head, headers.has("sec-fetch-mode", equalTo: "navigate"),
            headers.has("sec-fetch-dest", equalTo: "document")
        else { throw Problem(.foreignOrigin) }
        return .pages
    }

    package func count(_ head: Request) {}

    package func admit(_ head: Request, to route: Route) -> GateDecision {
        .admitted(.local)
    }

    package func headers(for head: Request) -> [(name: String, value: String)] {
        crossOrigin.headers(for: head)
    }

    /// True if the page is from this server, by the name in the request.
    private func isOwn(_ origin: String, _ head: Request) -> Bool {
        guard let host = head.headers["host"]?.lowercased() else { return false }
        let origin = origin.lowercased()
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// The usual names of the server, compared without making a `String`.
    private static func isUsual(_ head: Request) -> Bool {
        head.isHost("127.0.0.1") || head.isHost("localhost")
    }

    /// `localhost` and names below it (RFC 6761 §6.3), 127.0.0.0/8, and ::1, in any spelling.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if ["localhost", "localhost."].contains(host) || host.hasSuffix(".localhost") { return true }
        if host.contains(":") {
            let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
            return isLoopback6(bare)
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in (1...3).contains(part.utf8.count) && UInt8(part) != nil }
    }

    /// ::1, and 127.0.0.0/8 as an address of version 6 (RFC 4291 §2.5.5.2).
    private static func isLoopback6(_ text: String) -> Bool {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return false }
        // Copied: the bytes live for the call only.
        let bytes = withUnsafeBytes(of: address) { Array($0) }
        return bytes == Array(repeating: 0, count: 15) + [1]
            || bytes.prefix(13).elementsEqual(Array(repeating: 0, count: 10) + [0xff, 0xff, 127])
    }
}
