import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// Section 1, "Compression", on a board of its own.
struct CompressionTests {
    let server: Kanbase
    let client: Client

    init() throws {
        server = try Kanbase()
        client = try server.client()
        for number in 0..<30 { try client.makeTask(["title": .string("task \(number)")]) }
    }

    /// What another implementation makes of it: the body that curl took apart.
    private func curl(_ target: String, _ options: [String] = ["--compressed"]) throws -> String {
        let result = try ChildProcess.run(
            "/usr/bin/env", ["curl", "--silent", "--fail"] + options + ["http://127.0.0.1:\(server.port)\(target)"],
            environment: ProcessInfo.processInfo.environment)
        #expect(result.ending == .exited(0), "\(result.errors)")
        return result.output
    }

    @Test(arguments: ["/tasks", "/board", "/changes", "/export", "/openapi.json", "/openapi.yaml"])
    func `an answer comes out as it is without compression`(target: String) throws {
        let plain = try client.get(target)
        let zipped = try client.get(target, ["accept-encoding": "gzip"])

        #expect(zipped.header("Content-Encoding") == "gzip")
        #expect(plain.header("Content-Encoding") == nil)
        #expect(zipped.body.count < plain.body.count / 2)
        #expect(plain.header("Vary")?.contains("Accept-Encoding") == true)
        #expect(zipped.header("Vary")?.contains("Accept-Encoding") == true)
        #expect(zipped.tag.hasSuffix("-gzip\"") && zipped.tag.dropLast(6) + "\"" == plain.tag)
        // An export says when it was made.
        if target != "/export" { #expect(try curl(target) == plain.text) }
    }

    @Test func `HEAD says of the compressed form what GET says`() throws {
        let get = try client.get("/tasks", ["accept-encoding": "gzip"])
        let head = try client.send("HEAD", "/tasks", ["accept-encoding": "gzip"])

        for name in ["Content-Encoding", "Content-Length", "ETag", "Vary"] {
            #expect(head.header(name) == get.header(name), "\(name)")
        }
        #expect(head.body.isEmpty)
    }

    @Test func `either form of a tag is good in a condition`() throws {
        let plain = try client.get("/tasks").tag
        let zipped = try client.get("/tasks", ["accept-encoding": "gzip"]).tag

        for tag in [plain, zipped] {
            #expect(try client.get("/tasks", ["if-none-match": tag]).status == 304)
            let answer = try client.get("/tasks", ["if-none-match": tag, "accept-encoding": "gzip"])
            #expect(answer.status == 304 && answer.tag == zipped)
        }
        let long = try client.makeTask(["title": "long", "body": .string(String(repeating: "b", count: 1_000))])
        let tag = try client.get("/tasks/\(long.id)", ["accept-encoding": "gzip"]).tag
        #expect(tag == "\"\(long.revision)-gzip\"")
        #expect(try client.patch("/tasks/\(long.id)", ["title": "new"], ["if-match": tag]).status == 200)
        #expect(try client.patch("/tasks/\(long.id)", ["title": "newer"], ["if-match": tag]).status == 412)
    }

    @Test func `small answers, pictures and those who want none get the plain form`() throws {
        #expect(try client.get("/settings", ["accept-encoding": "gzip"]).header("Content-Encoding") == nil)
        for wish in ["gzip;q=0", "identity", "br", "*;q=0", "identity, gzip;q=0.1"] {
            let answer = try client.get("/tasks", ["accept-encoding": wish])
            #expect(answer.header("Content-Encoding") == nil && answer.items.count == 30, "\(wish)")
        }
        #expect(try client.get("/tasks", ["accept-encoding": "identity;q=0, *"]).header("Content-Encoding") == "gzip")
    }

    @Test(arguments: [false, true])
    func `a body out of which too much comes is 413 before the rest has come`(isChunked: Bool) throws {
        let bomb = GzipEncoder.encode([UInt8](repeating: 32, count: 64 << 20))
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(bomb.count)"
        let connection = try RawConnection(port: server.port)

        try connection.send(
            "POST /tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\(framing)\r\n\r\n"
                .utf8)
        if isChunked { try connection.send("10000\r\n".utf8) }
        try connection.send(bomb.prefix(20_000))

        let head = String(decoding: try #require(try connection.read(through: "\r\n\r\n")), as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 413 ") && head.contains("\r\nConnection: close\r\n"))
        #expect(try client.get("/tasks?limit=200").items.count == 30)
    }

    @Test func `a request body may be gzip, and limits count what comes out`() throws {
        func post(_ body: [UInt8], _ coding: String = "gzip") throws -> Answer {
            try client.send(
                "POST", "/tasks", ["content-type": "application/json", "content-encoding": coding], body: body)
        }
        let bomb = GzipEncoder.encode([UInt8](repeating: 32, count: 64 << 20))

        #expect(try post(GzipEncoder.encode(Array(#"{"title": "zipped"}"#.utf8)))["title"] == "zipped")
        expectProblem(try post(bomb), 413, "payload_too_large")
        expectProblem(try post(Array("{}".utf8)), 400, "malformed_coding")
        expectProblem(try post(Array("{}".utf8), "br"), 415)
        #expect(try client.get("/tasks?limit=200").items.count == 31)
    }
}
