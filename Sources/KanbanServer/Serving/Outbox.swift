import Crypto
import Fetch
import Foundation
import Kanban
import KanbanAccess

/// What the server sends to other servers, each kind from its own queue in the store: mails, revocations to Apple, and notifications of
/// reminders. And what Apple says.
struct Outbox: Sendable {
    /// `nil`: mail is off.
    let mails: MailQueue?
    /// `nil`: the server has no key of Apple's.
    let apple: AppleService?
    let revocations: RevocationQueue?
    let appleNotes: AppleNotes?
    /// `nil`: no device is notified.
    let push: Push?

    /// Sends until the task is cancelled.
    func run() async {
        async let mailing: Void? = mails?.run()
        async let revoking: Void? = revocations?.run()
        async let pushing: Void? = push?.run()
        _ = await (mailing, revoking, pushing)
    }

    func samples(of store: any ServedStore) -> [MetricsPage.Sample] {
        (mails?.samples(of: store) ?? []) + (revocations?.samples(of: store) ?? []) + (appleNotes?.samples ?? [])
            + (push?.queue.samples(of: store) ?? [])
    }
}

extension Configuration {
    /// The longest answer of Apple to a form.
    private static let longestAnswer = 64 << 10
    /// The largest file that is read as a key.
    private static let longestKey = 16 << 10
    /// Bytes that are read of trusted certificates. Those of a system take a quarter of it.
    private static let mostCertificates = 1 << 20

    /// - Parameters:
    ///   - key: see ``appleKey()``.
    ///   - site: the public address of the server.
    func outbox(
        for store: any ServedStore, key: AppleKey?, push: Push?, site: @escaping @Sendable () -> String, log: Log
    ) -> Outbox {
        let apple = key.map { key in
            let fetcher = Fetcher(timeout: .seconds(10), limit: Self.longestAnswer, authorities: oidcAuthorities)
            return AppleService(key: key, providers: oidc, clock: Timestamp.system) { url, form, patience in
                try await fetcher.post(url, form, within: patience)
            } warn: { message, reason in
                log.warning(message, ["reason": reason])
            }
        }
        let revocations = apple.map { apple in
            RevocationQueue(store: store, apple: apple, clock: Timestamp.system) {
                try await store.takeLease("revocations")
            } warn: { message, reason in
                log.warning(message, ["reason": reason])
            }
        }
        return Outbox(
            mails: mailQueue(for: store, site: site, log: log), apple: apple, revocations: revocations,
            appleNotes: apple.map { _ in AppleNotes(log: log) }, push: push)
    }

    /// The key of `--apple-key`; `nil` without one.
    /// - Throws: ``ExitCode/configuration`` for a file that holds none.
    func appleKey() throws(Failure) -> AppleKey? {
        guard let appleTeam, let appleKeyID, let appleKeyFile else { return nil }
        let key = try Self.privateKey(ofFile: appleKeyFile, option: "apple-key", use: "Sign in with Apple")
        return AppleKey(team: appleTeam, id: appleKeyID, key: key)
    }

    /// - Throws: ``ExitCode/configuration`` for a file that holds none.
    static func privateKey(
        ofFile path: String, option: String, use: String
    ) throws(Failure) -> PrivateSignatureKey {
        let text = try text(ofFile: path, option: option, atMost: longestKey)
        do throws(PrivateSignatureKey.Fault) {
            return try PrivateSignatureKey(pem: text)
        } catch {
            let detail =
                switch error {
                case .unreadable:
                    "holds no private key: give the .p8 file as Apple's developer site made it, which begins with "
                        + "-----BEGIN PRIVATE KEY-----."
                case .notP256:
                    "holds a key of another kind: give the .p8 file of a key for \(use), which is on P-256."
                }
            throw Failure(.configuration, "The file of --\(option) \(detail)")
        }
    }

    /// libcurl reads files of trusted certificates when it connects: at a start nobody would notice a wrong one.
    /// - Throws: ``ExitCode/configuration`` for a file that holds none.
    func requireAuthorities() throws(Failure) {
        let files = [("oidc-ca", oidcAuthorities), ("mail-ca", mailAuthorities), ("push-ca", pushAuthorities)]
        for case (let option, let path?) in files {
            let text = try Self.text(ofFile: path, option: option, atMost: Self.mostCertificates)
            guard text.contains("CERTIFICATE-----") else {
                throw Failure(
                    .configuration,
                    "The file of --\(option) holds no certificate: give those to trust in PEM form, each of which begins "
                        + "with -----BEGIN CERTIFICATE-----.")
            }
        }
    }

    private static func text(ofFile path: String, option: String, atMost length: Int) throws(Failure) -> String {
        // Its name is not repeated: somebody may have given the content itself.
        guard let file = FileHandle(forReadingAtPath: path),
            // `try?`: of a directory, for example; there is one thing to do about all of them.
            let bytes = try? file.read(upToCount: length)
        else {
            throw Failure(
                .configuration,
                "The file of --\(option) cannot be read: name a file that the user of the server may read.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
