import JSON
import TestSupport
import Testing

/// Section 3 of the contract, "Images", over a socket and through the commands.
struct ImageTests {
    private static let path = "/images/33333333-3333-4333-8333-333333333333"
    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 13, 10, 255]
    let server: Kanbase
    let client: Client

    init() throws {
        server = try Kanbase()
        client = try server.client()
    }

    @Test func `an image comes back as it was sent, over a restart`() throws {
        // More than a connection's buffers take at once.
        let bytes = Self.png + (0..<(1 << 20) - Self.png.count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let made = try client.send("PUT", Self.path, body: bytes)
        #expect(made.status == 201, "\(made.text)")
        server.stop()

        let again = try Kanbase(on: server.folder)
        let client = try again.client()
        let shown = try client.get(Self.path, ["accept-encoding": "gzip"])
        let head = try client.send("HEAD", Self.path)

        #expect(shown.status == 200 && shown.body == bytes)
        #expect(shown.header("Content-Type") == "image/png")
        #expect(shown.header("X-Content-Type-Options") == "nosniff")
        #expect(shown.header("Cache-Control") == "private, immutable, max-age=31536000")
        #expect(shown.header("Content-Encoding") == nil)
        #expect(shown.tag == made.tag)
        #expect(head.status == 200 && head.header("Content-Length") == "1048576" && head.body.isEmpty)
        #expect(try client.get(Self.path, ["if-none-match": shown.tag]).status == 304)
        #expect(try client.send("OPTIONS", Self.path).header("Allow")?.contains("PUT") == true)
        expectProblem(try client.post(Self.path, [:]), 405)
    }

    @Test func `more than a mebibyte is refused as soon as it is known`() throws {
        let declared = try RawConnection(port: server.port)
        try declared.send(
            Array("PUT \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n".utf8))
        expectProblem(try Answer(from: declared), 413, "payload_too_large")

        let chunked = try RawConnection(port: server.port)
        try chunked.send(
            Array("PUT \(Self.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
        let piece = Array("10000\r\n".utf8) + Array(repeating: 0x89, count: 0x10000) + Array("\r\n".utf8)
        for _ in 0..<16 { try chunked.send(piece) }
        try chunked.send(Array("1\r\nx\r\n0\r\n\r\n".utf8))
        expectProblem(try Answer(from: chunked), 413, "payload_too_large")

        #expect(try client.get(Self.path).status == 404)
    }

    @Test func `a body in chunks is taken, and one that breaks off is not`() throws {
        let whole = try RawConnection(port: server.port)
        try whole.send(
            Array("PUT \(Self.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
        try whole.send(Array("4\r\n".utf8) + Self.png.prefix(4) + Array("\r\n8\r\n".utf8))
        try whole.send(Self.png.dropFirst(4) + Array("\r\n0\r\n\r\n".utf8))
        #expect(try Answer(from: whole).status == 201)
        #expect(try client.get(Self.path).body == Self.png)

        let other = "/images/44444444-4444-4444-8444-444444444444"
        let cut = try RawConnection(port: server.port)
        try cut.send(Array("PUT \(other) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n".utf8) + Self.png)
        cut.finishSending()
        #expect(try client.get(other).status == 404)
    }

    @Test func `a live stream tells of an image that comes and goes`() throws {
        let cursor = try client.get("/changes").string("cursor")
        let stream = try FeedStream(port: server.port, since: cursor)
        var events: [Substring] = []
        func read(until text: String) throws {
            while !events.contains(where: { $0.contains(text) }), let next = try stream.next() { events += next }
        }

        try client.send("PUT", Self.path, body: Self.png)
        try read(until: #""mediaType":"image/png""#)
        try client.delete(Self.path)
        try read(until: #""deleted":true"#)

        #expect(events.contains { $0.contains(#""type":"image""#) && $0.contains(#""bytes":12"#) })
    }

    @Test(
        .disabled(
            if: SharedServers.count > 0, "it copies from one data directory to another; over a database there is none"))
    func `the commands carry images from one server to another`() throws {
        try client.send("PUT", Self.path, body: Self.png)
        let id = String(Self.path.dropFirst("/images/".count))
        let dday = try client.post("/ddays", ["title": "x", "date": "2030-01-01", "image": .string(id)]).json
        let (export, backup) = (server.folder.file("export.json"), server.folder.file("backup"))
        #expect(try Kanbase.run(["export", "--data", server.folder.path, export]).ending == .exited(0))
        #expect(try Kanbase.run(["backup", "--data", server.folder.path, backup]).ending == .exited(0))
        #expect(try Kanbase.run(["check", "--data", server.folder.path]).ending == .exited(0))

        for command in [["import", export], ["restore", backup]] {
            let folder = try DataFolder()
            let result = try Kanbase.run([command[0], "--data", folder.path, command[1]])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let server = try Kanbase(on: folder)
            let other = try server.client()
            #expect(try other.get(Self.path).body == Self.png)
            #expect(try other.get("/ddays/\(dday.id)")["image"] == .string(id))
        }
    }
}
