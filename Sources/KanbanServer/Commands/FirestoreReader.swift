import Crypto
import Fetch
import Foundation
import JSON
import Kanban

/// Reads a collection of Firestore over its REST API with the key of a service account.
///
/// No message contains the key or the tokens: messages name the address, the status and Google's own words for it.
struct FirestoreReader {
    private let key: ServiceAccountKey
    private let tokens: String
    private let documents: String
    private let fetcher = Fetcher(timeout: .seconds(60), limit: 64 << 20)

    private static let pageSize = 300
    /// As many as an import takes.
    private static let mostDocuments = 300_000

    /// - Parameter base: a stand-in for Google, for tests and the emulator; `nil` reads from Google's addresses and no others,
    ///   whatever the key file says.
    init(_ key: ServiceAccountKey, base: String?) {
        self.key = key
        tokens = base.map { "\($0)/token" } ?? "https://oauth2.googleapis.com/token"
        documents =
            (base ?? "https://firestore.googleapis.com")
            + "/v1/projects/\(Fetcher.encoded(key.project))/databases/(default)/documents"
    }

    /// All documents of a collection as they were at `time`, one a line.
    /// - Parameters:
    ///   - collection: its path, as `users/UID/todos`.
    ///   - onPage: gets the number of documents so far.
    func read(
        _ collection: String, at time: Timestamp, onPage: (Int) -> Void = { _ in }
    ) async throws -> [UInt8] {
        let names = collection.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count % 2 == 1, names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw Failure(.usage, "--collection takes the path of a collection, as todos or users/UID/todos.")
        }
        let headers = ["Authorization: Bearer \(try await token(at: time))"]
        let address = "\(documents)/\(names.map(Fetcher.encoded).joined(separator: "/"))"
        var lines: [UInt8] = []
        var count = 0
        var page: String?
        repeat {
            // One moment for all pages: what is written meanwhile is in none of them.
            var query = "pageSize=\(Self.pageSize)&readTime=\(Fetcher.encoded(time.description))"
            if let page { query += "&pageToken=\(Fetcher.encoded(page))" }
            let json = try await answer(from: "Firestore") {
                try await fetcher.get("\(address)?\(query)", headers)
            }
            for document in json["documents"]?.arrayValue ?? [] {
                lines += document.serialized() + [UInt8(ascii: "\n")]
                count += 1
            }
            guard count <= Self.mostDocuments else {
                throw Failure(.damagedData, "The collection has more than \(Self.mostDocuments) documents.")
            }
            onPage(count)
            let next = json["nextPageToken"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
            guard next == nil || next != page else { throw Failure(.protocolFault, "Firestore repeats a page.") }
            page = next
        } while page != nil
        guard count > 0 else {
            throw Failure(.noInput, "The collection \(collection) has no documents, and nothing was changed.")
        }
        return lines
    }

    /// A token that reads for an hour (RFC 7523).
    private func token(at time: Timestamp) async throws -> String {
        let assertion = try key.assertion(for: tokens, at: time)
        let json = try await answer(from: "Google's token server") {
            try await fetcher.post(
                tokens,
                [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)],
                within: .seconds(60))
        }
        guard let token = json["access_token"]?.stringValue, !token.isEmpty,
            token.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw Failure(.protocolFault, "Google's token server sent no token.") }
        return token
    }

    private func answer(from server: String, _ ask: () async throws -> Transfer.Outcome) async throws -> JSON {
        let outcome: Transfer.Outcome
        do {
            outcome = try await ask()
        } catch let fault as Fetcher.Fault {
            throw Failure(.unavailable, "\(server) cannot be reached (\(fault)), and nothing was changed.")
        }
        // `try?`: an answer of another kind has no words to show.
        let json = try? JSON(parsing: outcome.body)
        guard outcome.status == 200, let json else {
            let words =
                json?["error"]?["message"]?.stringValue ?? json?["error_description"]?.stringValue
                ?? "it says no more"
            throw Failure(
                .unavailable,
                "\(server) answers \(outcome.status), and nothing was changed: \(String(words.prefix(300)).onOneLine)")
        }
        return json
    }
}

/// The key file of a service account, as Google's console makes it.
struct ServiceAccountKey {
    let project: String
    private let email: String
    private let id: String?
    private let key: RSASigningKey

    /// - Throws: ``Failure``, whose words hold nothing of the file.
    init(_ bytes: [UInt8]) throws(Failure) {
        // `try?`: there is one thing to do about all faults.
        let json = try? JSON(parsing: bytes)
        guard let project = json?["project_id"]?.stringValue, !project.isEmpty,
            let email = json?["client_email"]?.stringValue, let pem = json?["private_key"]?.stringValue
        else {
            throw Failure(
                .damagedData,
                "--service-account takes the JSON file that the console makes under Project settings, Service accounts, with "
                    + "project_id, client_email and private_key.")
        }
        do {
            key = try RSASigningKey(pem: pem)
        } catch {
            throw Failure(.damagedData, "--service-account: the private_key is no RSA key in PEM.")
        }
        (self.project, self.email, id) = (project, email, json?["private_key_id"]?.stringValue)
    }

    /// A JSON Web Token that asks `audience` for a token which reads Firestore (RFC 7523). It is worth nothing elsewhere.
    func assertion(for audience: String, at time: Timestamp) throws(Failure) -> String {
        let issued = Int(time.milliseconds / 1000)
        var head: JSON = ["alg": "RS256", "typ": "JWT"]
        if let id { head["kid"] = .string(id) }
        let claims: JSON = [
            "iss": .string(email), "scope": "https://www.googleapis.com/auth/datastore", "aud": .string(audience),
            "iat": JSON(issued), "exp": JSON(issued + 3600),
        ]
        let signed = "\(ByteText.base64URL(head.serialized())).\(ByteText.base64URL(claims.serialized()))"
        do {
            return "\(signed).\(ByteText.base64URL(try key.signature(of: Array(signed.utf8))))"
        } catch {
            throw Failure(.damagedData, "--service-account: the private_key cannot sign.")
        }
    }
}
