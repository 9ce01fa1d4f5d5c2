import Crypto
import JSON
import Kanban

/// Sends to the push services of browsers (RFC 8030, encryption RFC 8291, VAPID RFC 8292).
package struct WebPushSender: Sendable {
    /// Longer than any notification waits.
    private static let lifetime: Int64 = 12 * 3_600

    package let services: WebPushServices
    /// In base 64: the key that browsers want for a subscription.
    package let publicKey: String
    private let key: PrivateSignatureKey
    /// The contact for a push service (RFC 8292 §2.1): the public address of this server.
    private let subject: String
    private let post: PushSenders.Post

    package init(
        _ pair: AgreementKey, services: WebPushServices, subject: String, post: @escaping PushSenders.Post
    ) throws {
        key = try PrivateSignatureKey(der: pair.der)
        publicKey = ByteText.base64URL(pair.publicPoint)
        self.services = services
        self.subject = subject
        self.post = post
    }

    func send(
        _ payload: [UInt8], of job: PushJob, to target: WebPushTarget, at now: Timestamp
    ) async throws -> PushAnswer {
        guard let body = WebPushMessage.encrypted(payload, to: target.key, secret: target.secret),
            let origin = WebPushServices.origin(of: target.endpoint)
        else { return .refused("the subscription has no valid key", pauses: true) }
        let topic = ByteText.base64URL(SHA256.digest(job.notificationID.utf8)).prefix(32)
        let answer = try await post(
            PushRequest(
                url: target.endpoint,
                headers: [
                    "Authorization: vapid t=\(token(for: origin, at: now)), k=\(publicKey)",
                    "Content-Encoding: aes128gcm", "Content-Type: application/octet-stream",
                    "TTL: \((job.end - now).wholeSeconds)", "Urgency: high", "Topic: \(topic)",
                ], body: body, isHTTP2: false))
        switch answer.status {
        case 200..<300: return .taken()
        case 404, 410: return .gone
        case 400, 401, 403, 413: return .refused("the push service answered \(answer.status)")
        default: throw PushUnavailable(description: "the push service answered \(answer.status)")
        }
    }

    private func token(for origin: String, at now: Timestamp) -> String {
        var claims = JSONWriter(capacity: 256)
        claims.beginObject()
        claims.name("aud")
        claims.value(origin)
        claims.name("exp")
        claims.value(now.milliseconds / 1000 + Self.lifetime)
        claims.name("sub")
        claims.value(subject)
        claims.endObject()
        return key.token(head: #"{"typ":"JWT","alg":"ES256"}"#, claims: claims.bytes)
    }
}

/// The push services whose addresses a subscription may have: no other one is ever asked.
package struct WebPushServices: Hashable, Sendable {
    /// Those of Google, Mozilla, Apple and Microsoft; a dot at the beginning stands for any name before it.
    private static let known = [
        "fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com",
    ]
    /// Longer than that of any.
    static let longestEndpoint = 2_048

    /// `host` or `host:port`.
    private let own: Set<String>

    /// - Parameter own: others that the operator trusts.
    package init(_ own: [String] = []) {
        self.own = Set(own.map { $0.lowercased() })
    }

    package func knows(_ endpoint: String) -> Bool {
        guard let origin = Self.origin(of: endpoint) else { return false }
        let place = origin.dropFirst("https://".count)
        return own.contains(String(place))
            || Self.known.contains { $0.hasPrefix(".") ? place.hasSuffix($0) && place.count > $0.count : place == $0 }
    }

    /// True if the text is a host, with a port or without.
    package static func isPlace(_ text: String) -> Bool { origin(of: "https://\(text)/") != nil }

    /// Scheme, host and port of an address of `https:`. Read strictly: what two programs could read in two ways is none.
    /// - Returns: `nil` for any other text.
    static func origin(of endpoint: String) -> String? {
        let scheme = "https://"
        guard endpoint.utf8.count <= longestEndpoint, endpoint.hasPrefix(scheme) else { return nil }
        let rest = endpoint.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        let path = rest[slash...].utf8
        // Visible ASCII, without quotation marks, backslashes and fragments.
        guard path.allSatisfy({ (0x21...0x7E).contains($0) && !#"""<>\^`{|}#"#.utf8.contains($0) }) else { return nil }
        let place = rest[..<slash].lowercased()
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), isName(parts[0]) else { return nil }
        guard parts.count == 2 else { return scheme + place }
        guard let port = UInt16(parts[1]), port > 0, "\(port)" == parts[1] else { return nil }
        return port == 443 ? scheme + parts[0] : scheme + place
    }

    /// Labels of letters, digits and hyphens.
    private static func isName(_ text: Substring) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
                }
        }
    }
}
