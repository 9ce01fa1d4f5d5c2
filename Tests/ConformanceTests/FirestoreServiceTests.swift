#if !canImport(Darwin)
    import Foundation
    import JSON
    import TestSupport
    import Testing

    /// `kanbase import --from firestore --service-account`, against a stand-in for Google.
    struct FirestoreServiceTests {
        private func keyFile(_ folder: DataFolder) throws -> (path: String, secret: String) {
            let pem = try SigningKey(.rsa(bits: 2048), id: "k1").pem
            let json: JSON = [
                "type": "service_account", "project_id": "demo", "private_key_id": "k1",
                "private_key": .string(pem), "client_email": "reader@demo.example.org",
                "token_uri": "http://127.0.0.1:1/elsewhere",
            ]
            let path = folder.file("key.json")
            try Data(json.serialized()).write(to: URL(filePath: path))
            return (path, String(pem.dropFirst(60).prefix(40)))
        }

        private static func page(_ names: [String], next: String?) -> String {
            let documents = names.map { name in
                """
                {"name": "projects/demo/databases/(default)/documents/users/u 1/todos/\(name)",
                 "fields": {"title": {"stringValue": "\(name)"}}, "updateTime": "2026-01-02T03:04:05.000006Z"}
                """
            }
            let end = next.map { #", "nextPageToken": "\#($0)""# } ?? ""
            return .ok("{\"documents\": [\(documents.joined(separator: ", "))]\(end)}")
        }

        private static let token = String.ok(#"{"access_token": "t0ken", "expires_in": 3599}"#)

        private func importing(
            _ stub: StubServer, _ folder: DataFolder, _ key: String, collection: String = "users/u 1/todos"
        ) throws -> (ending: Ending, output: String, errors: String) {
            try Kanbase.run(
                ["import", "--from", "firestore", "--service-account", key, "--collection", collection]
                    + ["--firestore-url", stub.url] + folder.options)
        }

        @Test func `all pages of one moment are imported, and once is enough`() throws {
            let folder = try DataFolder()
            let key = try keyFile(folder)
            let stub = try StubServer(
                .reply { request in
                    if request.hasPrefix("POST /token ") { return Self.token }
                    if request.contains("pageToken=two%2F") { return Self.page(["c"], next: nil) }
                    return Self.page(["a", "b"], next: "two/")
                })
            defer { stub.stop() }

            let first = try importing(stub, folder, key.path)
            let again = try importing(stub, folder, key.path)

            #expect(first.ending == .exited(0) && again.ending == .exited(0), "\(first.errors)\(again.errors)")
            let reports = try [first, again].map { try JSON(parsing: Array($0.output.utf8)) }
            #expect(reports.map { $0["created"] } == [3, 0] && reports[1]["unchanged"] == 3)
            let requests = stub.texts.prefix(3)
            #expect(requests.first?.contains("grant-type%3Ajwt-bearer&assertion=eyJ") == true)
            let path = "GET /v1/projects/demo/databases/(default)/documents/users/u%201/todos?pageSize=300&readTime=2"
            #expect(requests.dropFirst().allSatisfy { $0.hasPrefix(path) && $0.contains("Bearer t0ken") })
            let moments = requests.dropFirst().compactMap { $0.split(separator: "readTime=").last?.prefix(20) }
            #expect(moments.count == 2 && Set(moments).count == 1)
            for text in [first.output, first.errors] {
                #expect(!text.contains("t0ken") && !text.contains(key.secret))
            }
        }

        @Test func `a token is asked for with a signature of the key, and is worth nothing at Google`() throws {
            let folder = try DataFolder()
            let stub = try StubServer(.answer(Self.token))
            defer { stub.stop() }

            _ = try importing(stub, folder, keyFile(folder).path)

            let body = try #require(stub.texts.first?.split(separator: "assertion=").last)
            let parts = body.split(separator: ".").map(String.init)
            #expect(parts.count == 3)
            func decoded(_ text: String) -> JSON? {
                let plain = text.replacing("-", with: "+").replacing("_", with: "/")
                let padding = String(repeating: "=", count: (4 - plain.count % 4) % 4)
                // `try?`: what is no JSON fails the expectation.
                return Data(base64Encoded: plain + padding).flatMap { try? JSON(parsing: Array($0)) }
            }
            #expect(decoded(parts[0]) == ["alg": "RS256", "typ": "JWT", "kid": "k1"])
            let claims = decoded(parts[1])
            #expect(claims?["aud"] == .string("\(stub.url)/token"))
            #expect(claims?["scope"] == "https://www.googleapis.com/auth/datastore")
        }

        @Test func `a refusal is reported in Google's words, without the key and the token`() throws {
            let folder = try DataFolder()
            let key = try keyFile(folder)
            let stub = try StubServer(
                .reply { request in
                    guard !request.hasPrefix("POST") else { return Self.token }
                    let body = #"{"error": {"code": 403, "message": "Missing or insufficient permissions."}}"#
                    return String.ok(body).replacing("200 OK", with: "403 Forbidden")
                })
            defer { stub.stop() }

            let refused = try importing(stub, folder, key.path)
            stub.behave(.answer("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"))
            let redirected = try importing(stub, folder, key.path)
            stub.behave(.reply { $0.hasPrefix("POST") ? Self.token : .ok("{}") })
            let empty = try importing(stub, folder, key.path)

            #expect(refused.ending == .exited(69), "\(refused.errors)")
            #expect(refused.errors.contains("Missing or insufficient permissions"))
            #expect(redirected.ending == .exited(69) && redirected.errors.contains("302"))
            #expect(empty.ending == .exited(66) && empty.errors.contains("has no documents"))
            #expect(!refused.errors.contains("t0ken") && !refused.errors.contains(key.secret))
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/kanbase.sqlite"))
        }

        @Test(arguments: ["users/u1", "", "/todos", "todos/../x", "a/b/"])
        func `what is no collection is refused before anything is asked`(collection: String) throws {
            let folder = try DataFolder()
            let stub = try StubServer(.answer(Self.token))
            defer { stub.stop() }

            let refused = try importing(stub, folder, keyFile(folder).path, collection: collection)

            #expect(refused.ending == .exited(64), "\(refused.errors)")
            #expect(stub.requests.isEmpty)
        }

        @Test func `wrong options and an unknown account are refused before anything is asked`() throws {
            let folder = try DataFolder()
            try Kanbase(on: folder).stop()
            let key = try keyFile(folder).path
            let stub = try StubServer(.answer(Self.token))
            defer { stub.stop() }

            for (options, code) in [
                (["--map", "dates=maybe"], 64), (["--map", folder.file("nofile")], 66), (["--mode", "replace"], 64),
                (["--account", "nobody@example.org"], 66),
            ] as [([String], Int32)] {
                let refused = try Kanbase.run(
                    ["import", "--from", "firestore", "--service-account", key, "--collection", "todos"]
                        + ["--firestore-url", stub.url] + folder.options + options)
                #expect(refused.ending == .exited(code), "\(options): \(refused.errors)")
            }
            #expect(stub.requests.isEmpty)
        }

        @Test func `a document without fields is skipped`() throws {
            let folder = try DataFolder()
            let key = try keyFile(folder)
            let name = "projects/demo/databases/(default)/documents/users/u 1/todos/a"
            let stub = try StubServer(
                .reply { $0.hasPrefix("POST") ? Self.token : .ok(#"{"documents": [{"name": "\#(name)"}]}"#) })
            defer { stub.stop() }

            let made = try importing(stub, folder, key.path)

            #expect(made.ending == .exited(0) && made.output.contains(#""skipped":1"#), "\(made.errors)")
        }

        @Test func `an invalid key, and a server without encryption, are refused`() throws {
            let folder = try DataFolder()
            let file = folder.file("key.json")
            try Data(#"{"project_id": "p", "client_email": "e", "private_key": "s3cret"}"#.utf8).write(
                to: URL(filePath: file))
            let options = ["import", "--from", "firestore", "--service-account", file, "--collection", "todos"]

            let noKey = try Kanbase.run(options + folder.options)
            let plain = try Kanbase.run(options + ["--firestore-url", "http://example.org"] + folder.options)

            #expect(noKey.ending == .exited(65) && !noKey.errors.contains("s3cret"), "\(noKey.errors)")
            #expect(plain.ending == .exited(64) && plain.errors.contains("https address"), "\(plain.errors)")
        }
    }
#endif
