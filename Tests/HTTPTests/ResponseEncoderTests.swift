import Foundation
import Testing

@testable import HTTP

struct ResponseEncoderTests {
    private static let date = {
        var date = HTTPDate()
        date.update(to: 0)
        return date
    }()

    private func head(
        _ response: Response, _ framing: ResponseEncoder.Framing = .none,
        _ persistence: ResponseEncoder.Persistence = .implied
    ) -> String {
        let pool = BlockPool(blockSize: 1024)
        var output = ByteBuffer()
        ResponseEncoder.encode(
            response, framing, persistence, date: Self.date, into: &output, reserving: 0, from: pool)
        return String(decoding: output.unread, as: UTF8.self)
    }

    @Test func `a head is the status, the server's own fields and the responder's`() {
        let response = Response(status: 404, headers: [("ETag", "\"1\""), ("Allow", "")])

        #expect(
            head(response, .length(12), .close)
                == "HTTP/1.1 404 Not Found\r\nX-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                + "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 12\r\nConnection: close\r\n"
                + "Content-Security-Policy: frame-ancestors 'none'\r\nETag: \"1\"\r\nAllow: \r\n\r\n")
    }

    @Test func `a page has a policy of its own, and only TLS has Strict-Transport-Security`() {
        var page = Response(status: 200, headers: [("Content-Security-Policy", "default-src 'none'")])
        page.hasContentPolicy = true
        let pool = BlockPool(blockSize: 1024)
        var output = ByteBuffer()
        ResponseEncoder.encode(
            page, .length(0), .implied, date: Self.date, isSecure: true, into: &output, reserving: 0, from: pool)
        let secure = String(decoding: output.unread, as: UTF8.self)

        #expect(head(page).components(separatedBy: "Content-Security-Policy").count == 2)
        #expect(secure.contains("\r\nStrict-Transport-Security: max-age=31536000\r\n"))
        #expect(!head(page).contains("Strict-Transport-Security"))
    }

    @Test(arguments: [false, true], [true, false])
    func `an answer that is at hand is written with the fields of the same response`(isUnchanged: Bool, isHead: Bool) {
        let request = Request(method: isHead ? .head : .get, target: "/")
        let ready = ReadyAnswer()
        _ = ready.tagRoom.update(fromContentsOf: Array("\"41\"".utf8))
        ready.fill(
            isUnchanged: isUnchanged, fields: "\r\nCache-Control: no-store\r\nETag: ", tagCount: 4,
            headers: [("Vary", "Authorization")], operation: "show")
        Array("body".utf8).withUnsafeBytes { ready.add($0) }
        let response = Response(ready, to: request)
        let pool = BlockPool(blockSize: 1024)
        var output = ByteBuffer()

        let sent = ResponseEncoder.encode(
            ready, request.id, .close, isHead: isHead, date: Self.date, into: &output, from: pool)

        let text = String(decoding: output.unread, as: UTF8.self)
        let body = isHead || isUnchanged ? "" : "body"
        let framing = ResponseEncoder.framing(of: response, isHTTP11: true)
        #expect(sent == body.utf8.count && text.hasSuffix("\r\n\r\n\(body)"))
        #expect(
            text.dropLast(body.count).split(separator: "\r\n").sorted()
                == head(response, framing, .close).split(separator: "\r\n").sorted())
    }

    @Test func `a status without a name has none`() {
        #expect(head(Response(status: 299)).hasPrefix("HTTP/1.1 299 \r\n"))
        #expect(head(Response(status: 999)).hasPrefix("HTTP/1.1 999 \r\n"))
    }

    @Test func `what would begin another field becomes white space`() {
        let response = Response(status: 200, headers: [("X", "a\r\nSet-Cookie: b\0c")])

        #expect(head(response).hasSuffix("\r\nX: a  Set-Cookie: b c\r\n\r\n"))
    }

    @Test func `a head that is larger than a block is written whole`() {
        let response = Response(status: 200, headers: [("X", String(repeating: "a", count: 5000))])

        #expect(head(response).utf8.count > 5000)
    }

    @Test func `only 204 and 304 have no length when there is no body`() {
        #expect(ResponseEncoder.framing(of: Response(status: 204), isHTTP11: true) == .none)
        #expect(ResponseEncoder.framing(of: Response(status: 304, body: .bytes([1])), isHTTP11: true) == .none)
        #expect(ResponseEncoder.framing(of: Response(status: 200), isHTTP11: true) == .length(0))
    }

    @Test(arguments: [(1, "1"), (9, "9"), (10, "a"), (15, "f"), (16, "10"), (255, "ff"), (65536, "10000")])
    func `a chunk's size is hexadecimal without zeros before it`(size: Int, digits: String) {
        let pool = BlockPool(blockSize: 1024)
        var output = ByteBuffer()
        output.reserve(20, from: pool)
        ResponseEncoder.encode(chunkSize: size, into: &output)

        #expect(String(decoding: output.unread, as: UTF8.self) == "\(digits)\r\n")
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (1_795_169_582, "Fri, 20 Nov 2026 10:13:02 GMT"),
        (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    ])
    func `the date is that of RFC 9110`(second: Int, text: String) {
        #expect(String(decoding: HTTPDate.format(second), as: UTF8.self) == text)
    }
}
