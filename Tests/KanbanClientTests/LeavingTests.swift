import Foundation
import JSON
import Locks
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The end of an account as a client meets it: what the server says is the test's; `ClientIdentityTests` has the real one.
struct LeavingTests {
    private static let account = "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"
    private static let other = "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12"

    /// A device that is logged in as ``account`` with the token `kb_1`. Log-ins get `kb_2` …
    private func device(
        signingInAs subject: String = account, isNew: Bool = false, _ answering: @escaping TestNetwork.Answering
    ) async throws -> TestDevice {
        let device = try await TestDevice()
        let count = Locked(0)
        device.network.answer { method, target, body in
            guard method == "POST", target == "/sessions" else { return answering(method, target, body) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            let id = number == 1 ? Self.account : subject
            let created = isNew && number > 1 ? #", "created": true"# : ""
            return (201, #"{"token": "kb_\#(number)", "account": {"id": "\#(id)"\#(created)}}"#)
        }
        try await device.board.logIn(email: "a", password: "correct-horse")
        try await device.board.create(.init(title: "mine"))
        return device
    }

    /// Method, target, token and body of the requests after the log-in.
    private func asked(_ device: TestDevice) -> [String] {
        zip(device.network.requests, device.network.authorizations).dropFirst().map { request, token in
            [
                "\(request.method) \(request.target)", token?.replacing("Bearer ", with: "") ?? "-",
                String(decoding: request.body.serialized(), as: UTF8.self),
            ].joined(separator: " ")
        }
    }

    private func hasBoard(_ device: TestDevice) -> Bool {
        FileManager.default.fileExists(atPath: device.directory.file("account-\(Self.account)"))
    }

    /// Refuses until a newer session asks.
    private static func wantsFresh(_ answer: (status: Int, body: String)) -> TestNetwork.Answering {
        let asked = Locked(0)
        return { method, target, _ in
            guard method == "DELETE", target == "/account" else { return (204, "") }
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            return number == 1 ? (403, #"{"code": "fresh_session_required", "status": 403}"#) : answer
        }
    }

    @Test func `the code goes with the fresh session that the server asks for`() async throws {
        let device = try await device(Self.wantsFresh((204, "")))

        try await device.board.deleteAccount(
            idToken: "id", nonce: "n", authorizationCode: "c", discardUnsent: true)

        #expect(
            asked(device) == [
                #"DELETE /account kb_1 {"authorizationCode":"c"}"#,
                #"POST /sessions - {"provider":"apple","idToken":"id","nonce":"n"}"#,
                #"DELETE /account kb_2 {"authorizationCode":"c"}"#,
            ])
        #expect(!hasBoard(device))
        #expect(try device.board.account.current() == nil)
        let secret = BoardCore.secretName(device.board.core.server, try #require(KanbanID(Self.account)))
        #expect(try device.board.core.secrets.read(secret) == nil)
        await device.board.close()
    }

    @Test func `an answer that erases nothing leaves the device as it was, without the fresh session`() async throws {
        for answer in [(503, #"{"code": "unavailable", "status": 503}"#), (200, "<html>Log in to the hotel</html>")] {
            let device = try await device(Self.wantsFresh(answer))

            await #expect(throws: KanbanError.self) {
                try await device.board.deleteAccount(idToken: "id", discardUnsent: true)
            }

            #expect(asked(device).last == "DELETE /sessions/current kb_2 null")
            #expect(hasBoard(device))
            #expect(try device.titles() == ["mine"])
            await device.board.close()
        }
    }

    @Test func `an account that another's sign-in has just made is erased, and one that was there stays`() async throws
    {
        for (isNew, end) in [(true, "DELETE /account kb_2 {}"), (false, "DELETE /sessions/current kb_2 null")] {
            let device = try await device(signingInAs: Self.other, isNew: isNew, Self.wantsFresh((204, "")))

            await #expect(throws: KanbanError.forbidden("other_account")) {
                try await device.board.deleteAccount(idToken: "id", authorizationCode: "c", discardUnsent: true)
            }

            #expect(asked(device).last == end)
            #expect(asked(device).count == 3)
            #expect(hasBoard(device))
            await device.board.close()
        }
    }

    @Test func `an identity goes with the proof that the app has`() async throws {
        let id = KanbanID()
        let device = try await device { _, _, body in
            body == .null || body["password"] != nil
                ? (204, "") : (403, #"{"code": "wrong_password", "status": 403}"#)
        }

        try await device.board.unlink(id)
        try await device.board.unlink(id, password: "p", authorizationCode: "c")
        await #expect(throws: KanbanError.wrongPassword) {
            try await device.board.unlink(id, idToken: "id", authorizationCode: "c")
        }

        #expect(
            asked(device) == [
                "DELETE /account/identities/\(id) kb_1 null",
                #"DELETE /account/identities/\#(id) kb_1 {"password":"p","authorizationCode":"c"}"#,
                #"DELETE /account/identities/\#(id) kb_1 {"authorizationCode":"c"}"#,
                #"POST /sessions - {"provider":"apple","idToken":"id"}"#,
                #"DELETE /account/identities/\#(id) kb_2 {"authorizationCode":"c"}"#,
                "DELETE /sessions/current kb_2 null",
            ])
        await device.board.close()
    }

    // MARK: - Export

    /// A device that is logged in, and gets these pieces of an export. `nil`: the connection breaks.
    private func exporter(_ pieces: [StreamPiece?]) async throws -> (device: TestDevice, file: URL) {
        let device = try await TestDevice { $0.dependencies.transport = ExportNetwork(account: Self.account, pieces) }
        try await device.board.logIn(email: "a", password: "correct-horse")
        return (device, URL(filePath: device.directory.file("export.json")))
    }

    private static let json = ["content-type": "application/json"]

    @Test func `an export takes the place of the file when it is whole`() async throws {
        let (device, file) = try await exporter([
            .head(status: 200, headers: Self.json), .bytes(Array(#"{"tasks""#.utf8)), .bytes(Array(": []}".utf8)),
        ])
        try Data("the one before".utf8).write(to: file)

        try await device.board.exportAccount(to: file)

        #expect(try String(contentsOf: file, encoding: .utf8) == #"{"tasks": []}"#)
        #expect(!FileManager.default.fileExists(atPath: file.path + ".part"))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        await device.board.close()
    }

    @Test(
        arguments: [
            ([.head(status: 200, headers: json), .bytes([0x7b]), nil], KanbanError.offline),
            ([nil], .offline), ([], .offline),
            (
                [.head(status: 200, headers: ["content-type": "text/html"]), .bytes(Array("<html>".utf8))],
                .server(status: 0, code: "not_understood", requestID: nil)
            ),
            (
                [
                    .head(status: 403, headers: json), .bytes(Array(#"{"code": "insufficient_"#.utf8)),
                    .bytes(Array("scope\"}".utf8)),
                ],
                .forbidden("insufficient_scope")
            ),
            ([.head(status: 401, headers: json), .bytes(Array(#"{"code": "unauthorized"}"#.utf8))], .loggedOut),
        ] as [([StreamPiece?], KanbanError)])
    func `anything else leaves the file as it was`(pieces: [StreamPiece?], error: KanbanError) async throws {
        let (device, file) = try await exporter(pieces)
        try Data("the one before".utf8).write(to: file)

        await #expect(throws: error) { try await device.board.exportAccount(to: file) }

        #expect(try String(contentsOf: file, encoding: .utf8) == "the one before")
        #expect(!FileManager.default.fileExists(atPath: file.path + ".part"))
        await device.board.close()
    }

    @Test func `an export to where nothing can be written says so`() async throws {
        let (device, _) = try await exporter([.head(status: 200, headers: Self.json)])
        let file = URL(filePath: device.directory.file("nowhere/export.json"))

        await #expect(throws: KanbanError.storage("\(file.path).part cannot be written.")) {
            try await device.board.exportAccount(to: file)
        }
        await device.board.close()
    }
}

/// Logs in, and answers the export with these pieces.
private final class ExportNetwork: Transport {
    private let account: String
    private let pieces: [StreamPiece?]

    init(account: String, _ pieces: [StreamPiece?]) {
        self.account = account
        self.pieces = pieces
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        let answer: [StreamPiece?] =
            switch request.url?.path {
            case "/sessions":
                [
                    .head(status: 201, headers: [:]),
                    .bytes(Array(#"{"token": "kb_1", "account": {"id": "\#(account)"}}"#.utf8)),
                ]
            case "/account/export": pieces
            default: [nil]
            }
        return AsyncThrowingStream { stream in
            for piece in answer {
                guard let piece else { return stream.finish(throwing: NetworkError()) }
                stream.yield(piece)
            }
            stream.finish()
        }
    }
}
