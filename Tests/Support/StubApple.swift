#if !canImport(Darwin)
    import Foundation
    import Locks

    #if canImport(Glibc)
        import Glibc
    #endif

    /// A stand-in for Apple on loopback: an issuer of ID tokens and notifications that also takes the codes of sign-ins and
    /// the revocations of tokens. It believes no client secret but one that the team's key signed as Apple's documentation
    /// says.
    package final class StubApple: Sendable {
        package static let team = "TEAM123456"
        package static let keyID = "KEY1234567"
        /// The clients of the team.
        package static let clients: Set<String> = ["com.example.app", "com.example.web"]

        package enum Behaviour: Sendable {
            /// As Apple does.
            case usual
            case answer(status: Int, body: String)
            /// Reads the request and sends nothing.
            case silence
            /// Reads the request and closes the connection.
            case hangUp
        }

        private struct State {
            var keys: [SigningKey] = []
            var behaviours: [String: Behaviour] = [:]
            /// Of each code that was not used, its client.
            var codes: [String: String] = [:]
            var made = 0
            var asked: [(path: String, form: [String: String])] = []
            var revoked: [String] = []
            var keyFetches = 0
            var silent: [Int32] = []
        }

        /// Signs client secrets.
        package let teamKey: SigningKey
        private let listener: LoopbackListener
        private let state = Locked(State())

        /// - Parameter keys: those that sign tokens of people.
        package init(_ keys: [SigningKey] = []) throws {
            teamKey = try SigningKey(.p256, id: Self.keyID)
            listener = try LoopbackListener()
            state.withLock { $0.keys = keys }
            listener.serve { self.answer($0) }
        }

        package var url: String { "http://127.0.0.1:\(listener.port)" }

        package func stop() {
            listener.stop()
            for connection in state.withLock({ $0.silent }) { close(connection) }
        }

        /// - Parameter path: `/auth/token`, `/auth/revoke` or `/keys`.
        package func behave(_ path: String, _ behaviour: Behaviour) {
            state.withLock { $0.behaviours[path] = behaviour }
        }

        /// A code that a sign-in gave the client.
        package func makeCode(for client: String = "com.example.app") -> String {
            state.withLock { state in
                state.made += 1
                let code = "c\(state.made).0.code-secret"
                state.codes[code] = client
                return code
            }
        }

        /// The forms that came to the path.
        package func forms(_ path: String) -> [[String: String]] {
            state.withLock { $0.asked.filter { $0.path == path }.map(\.form) }
        }

        /// The tokens whose revocation was answered with 200, in their order.
        package var revoked: [String] { state.withLock { $0.revoked } }

        package var keyFetches: Int { state.withLock { $0.keyFetches } }

        /// The claims of an ID token, at a time in seconds since 1970.
        package func claims(
            at now: Int, client: String = "com.example.app", subject: String = "001.subject-secret.1",
            email: String? = nil
        ) -> [String: any Sendable] {
            var claims: [String: any Sendable] = [
                "iss": url, "aud": client, "sub": subject, "iat": now, "exp": now + 600,
            ]
            if let email {
                claims["email"] = email
                claims["email_verified"] = "true"
            }
            return claims
        }

        // MARK: - Answering

        private func answer(_ descriptor: Int32) {
            let connection = LoopbackConnection(descriptor)
            guard let (path, body) = Self.request(connection) else { return connection.end() }
            let behaviour = state.withLock { state in
                if path.hasPrefix("/auth/") { state.asked.append((path, Self.form(body))) }
                if path == "/keys" { state.keyFetches += 1 }
                return state.behaviours[path] ?? .usual
            }
            switch behaviour {
            case .silence: state.withLock { $0.silent.append(descriptor) }
            case .hangUp: connection.end()
            case .answer(let status, let body): Self.send(status, body, connection)
            case .usual:
                let (status, body) = answer(path, Self.form(body))
                Self.send(status, body, connection)
            }
        }

        private static func request(_ connection: LoopbackConnection) -> (path: String, body: String)? {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let text = String(decoding: bytes, as: UTF8.self)
                if let end = text.range(of: "\r\n\r\n") {
                    let lines = text[..<end.lowerBound].split(separator: "\r\n").map(String.init)
                    let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                        .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
                    let body = text[end.upperBound...]
                    if body.utf8.count >= length ?? 0 {
                        return (lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? "", String(body))
                    }
                }
                let count = connection.receive(&buffer)
                guard count > 0 else { return nil }
                bytes += buffer[..<count]
            }
        }

        private static func form(_ body: String) -> [String: String] {
            let pairs = body.split(separator: "&").map { pair in
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { String($0).removingPercentEncoding ?? "" }
                return (sides[0], sides.count > 1 ? sides[1] : "")
            }
            return Dictionary(pairs, uniquingKeysWith: { $1 })
        }

        private static func send(_ status: Int, _ body: String, _ connection: LoopbackConnection) {
            let head =
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            connection.send(Array("\(head)Connection: close\r\n\r\n\(body)".utf8))
            connection.end()
        }

        private func answer(_ path: String, _ form: [String: String]) -> (Int, String) {
            switch path {
            case "/.well-known/openid-configuration":
                return (200, "{\"issuer\": \"\(url)\", \"jwks_uri\": \"\(url)/keys\"}")
            case "/keys":
                let keys = state.withLock { $0.keys.map(\.publicJWK) }
                // Texts alone, which are always JSON.
                let set = (try? JSONSerialization.data(withJSONObject: ["keys": keys])) ?? Data()
                return (200, String(decoding: set, as: UTF8.self))
            case "/auth/token", "/auth/revoke":
                guard let client = form["client_id"], isRight(form["client_secret"] ?? "", of: client) else {
                    return (400, "{\"error\": \"invalid_client\"}")
                }
                return path == "/auth/token" ? token(form, client) : revoke(form)
            default: return (404, "{}")
            }
        }

        private func token(_ form: [String: String], _ client: String) -> (Int, String) {
            let number = state.withLock { state -> Int? in
                guard form["grant_type"] == "authorization_code", let code = form["code"], state.codes[code] == client
                else { return nil }
                state.codes[code] = nil
                state.made += 1
                return state.made
            }
            guard let number else { return (400, "{\"error\": \"invalid_grant\"}") }
            return (
                200,
                """
                {"access_token": "a\(number).access-secret", "token_type": "Bearer", "expires_in": 3600, \
                "refresh_token": "r\(number).refresh-secret", "id_token": "e30.e30.e30"}
                """
            )
        }

        private func revoke(_ form: [String: String]) -> (Int, String) {
            guard let token = form["token"], form["token_type_hint"] == "refresh_token" else {
                return (400, "{\"error\": \"invalid_request\"}")
            }
            state.withLock { $0.revoked.append(token) }
            return (200, "")
        }

        /// As Apple's "Creating a client secret" says.
        private func isRight(_ secret: String, of client: String) -> Bool {
            guard let claims = teamKey.claims(of: secret), let issued = claims["iat"] as? Int,
                let end = claims["exp"] as? Int
            else { return false }
            return claims["iss"] as? String == Self.team && claims["sub"] as? String == client
                && claims["aud"] as? String == "https://appleid.apple.com" && Self.clients.contains(client)
                && end > issued && end - issued <= 15_777_000
        }
    }
#endif
