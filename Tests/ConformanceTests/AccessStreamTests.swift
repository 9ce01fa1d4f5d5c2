import JSON
import TestSupport
import Testing

/// What waits for changes ends with what let it in.
struct AccessStreamTests {
    @Test(arguments: ["/sessions/current", "/account"])
    func `logging out and deleting the account end an open stream at once`(target: String) throws {
        let server = try Kanbase(["--auth", "required"])
        let anna = try AccessTests().logIn(server, "anna@example.org")
        let token = try #require(anna.headers["authorization"])
        let stream = try RawConnection(port: server.port)
        try stream.send(
            Array(
                ("GET /changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                    + "Authorization: \(token)\r\n\r\n").utf8))
        _ = try #require(try stream.read(through: "event: ready"))

        #expect(try anna.send("DELETE", target, json: ["password": .string(AccessTests.password)]).status == 204)

        // The last chunk; a stream that went on would make this wait for the next comment, and then fail.
        let end = try #require(try stream.read(through: "0\r\n\r\n"))
        #expect(!String(decoding: end, as: UTF8.self).contains("event: change"))
        expectProblem(try anna.get("/tasks"), 401, "unauthorized")
    }

    @Test func `an account that the operator removes has no open stream when the command is over`() throws {
        let folder = try DataFolder()
        let server = try Kanbase(on: folder, ["--auth", "required"])

        try FeedStream.expectEndsAtOnce {
            let anna = try AccessTests().logIn(server, "anna@example.org")
            let token = try #require(anna.headers["authorization"]?.split(separator: " ").last.map(String.init))
            return try FeedStream(port: server.port, since: nil, token: token)
        } by: {
            let removed = try Kanbase.run(["account", "remove", "anna@example.org"] + folder.options)
            #expect(removed.ending == .exited(0), "\(removed.errors)")
        }
    }

    @Test func `a wait for changes ends when its session does`() async throws {
        let server = try Kanbase(["--auth", "required"])
        let anna = try AccessTests().logIn(server, "anna@example.org")
        let cursor = try #require(try anna.get("/changes").string("cursor"))
        let token = try #require(anna.headers["authorization"])
        let waiting = try RawConnection(port: server.port)
        let began = ContinuousClock.now
        try waiting.send(
            Array(
                ("GET /changes?since=\(cursor) HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=60\r\n"
                    + "Authorization: \(token)\r\n\r\n").utf8))

        #expect(try anna.delete("/sessions/current").status == 204)

        let answer = try Answer(from: waiting)
        expectProblem(answer, 401, "unauthorized")
        #expect(answer.header("WWW-Authenticate") == "Bearer realm=\"kanbase\", error=\"invalid_token\"")
        // Not only when its time is over.
        #expect(ContinuousClock.now - began < .seconds(60))
    }
}
