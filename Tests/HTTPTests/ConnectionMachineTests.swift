import HTTP
import Testing

struct ConnectionMachineTests {
    private let session = WireSession()
    private let head = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `requests are answered one after the other on a connection that stays open`() {
        session.feed(head + "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx" + head)

        #expect(session.events == ["200 GET /a 0", "200 POST /b 1/337", "200 GET /a 0"])
    }

    @Test func `nothing is answered after an answer that closes`() {
        session.feed("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + head)

        #expect(session.events == ["200 GET /a 0 closing", "end"])
    }

    @Test func `a connection that ends waits for a moment that the client ends it too`() {
        session.feed("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(session.events == ["200 GET /a 0 closing", "end"])

        session.end()

        #expect(session.events == ["200 GET /a 0 closing", "end", "close"])
    }

    @Test func `an error is answered, then the rest is swallowed for a moment`() {
        session.feed(head + "GET /b HTTP/1.1\r\nHost : a\r\n\r\n" + head)
        session.feed("more of it")
        #expect(session.events == ["200 GET /a 0", "400 closing", "end"])

        session.pass(.seconds(2))

        #expect(session.events == ["200 GET /a 0", "400 closing", "end", "close"])
    }

    @Test func `a new connection has ten seconds for its first head, whenever that begins`() {
        session.feed("")
        session.pass(.milliseconds(9_000))
        session.feed("GET / HTT")
        session.pass(.milliseconds(999))
        #expect(session.events == [])

        session.pass(.milliseconds(1))

        #expect(session.events == ["408 closing", "end"])
    }

    @Test func `a new connection that asks nothing, as while it shakes hands, closes after ten seconds`() {
        session.feed("")
        session.pass(.milliseconds(9_999))
        #expect(session.events == [])

        session.pass(.milliseconds(1))

        #expect(session.events == ["close"])
    }

    @Test func `a head has ten seconds from its first byte, however it drips`() {
        session.feed(head)
        session.pass(.seconds(60))
        for byte in "GET / HTT" {
            session.feed(String(byte))
            session.pass(.seconds(1))
        }
        #expect(session.events == ["200 GET /a 0"])

        session.pass(.seconds(1))

        #expect(session.events == ["200 GET /a 0", "408 closing", "end"])
    }

    @Test func `an empty line does not begin a head`() {
        session.feed(head)
        session.feed("\r\n")
        session.pass(.seconds(60))
        #expect(session.events == ["200 GET /a 0"])

        session.pass(.seconds(15))

        #expect(session.events == ["200 GET /a 0", "close"])
    }

    @Test func `an idle connection closes without a word after 75 seconds`() {
        session.feed(head)
        session.pass(.milliseconds(74_999))
        #expect(session.events == ["200 GET /a 0"])

        session.pass(.milliseconds(1))

        #expect(session.events == ["200 GET /a 0", "close"])
    }

    @Test func `a body that stops is cut off after 30 seconds`() {
        session.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
        for _ in 0..<3 {
            session.pass(.seconds(20))
            session.feed(String(repeating: "x", count: 10_000))
        }
        session.pass(.milliseconds(29_999))
        #expect(session.events == [])

        session.pass(.milliseconds(1))

        #expect(session.events == ["408 closing", "end"])
    }

    @Test func `a body that drips is cut off although it never stops`() {
        session.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
        var seconds = 0
        while session.events.isEmpty, seconds < 100 {
            session.feed("x")
            session.pass(.seconds(1))
            seconds += 1
        }

        #expect(session.events == ["408 closing", "end"])
        #expect(seconds == 31)
    }

    @Test func `an unwanted body is swallowed after the answer, and limited`() {
        session.feed("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
        #expect(session.events == ["403 /refused"])
        session.feed("llo" + head)
        #expect(session.events == ["403 /refused", "200 GET /a 0"])

        session.feed("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n")

        #expect(session.events.suffix(2) == ["403 /refused closing", "end"])
    }

    @Test func `after a final answer instead of 100 nobody guesses what comes`() {
        session.feed("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")

        #expect(session.events == ["403 /refused closing", "end"])
    }

    @Test func `100 is not sent when the body is already coming`() {
        session.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nx")
        session.feed("y")
        session.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")

        #expect(session.events == ["200 POST /a 2/10568", "100"])
    }

    @Test func `a client that ends its side gets its answers, then the end`() {
        session.feed(head + head)
        session.end()

        #expect(session.events == ["200 GET /a 0", "200 GET /a 0", "close"])
    }

    @Test func `a client that ends within a message gets an answer`() {
        session.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
        session.end()

        #expect(session.events == ["400 closing", "close"])
    }

    @Test func `draining closes an idle connection, and a busy one after its answer`() {
        let busy = WireSession()
        busy.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
        busy.drain()
        #expect(busy.events == [])
        busy.feed("y")
        #expect(busy.events == ["200 POST /a 2/10568 closing", "close"])

        session.feed(head)
        session.drain()

        #expect(session.events == ["200 GET /a 0", "close"])
    }

    @Test func `draining answers what was read, and says with the last answer that it is the last`() {
        session.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
        session.drain()

        session.feed("y" + head + "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx" + head)

        let answers = ["200 POST /a 2/10568", "200 GET /a 0", "200 POST /b 1/337", "200 GET /a 0 closing", "close"]
        #expect(session.events == answers)
    }
}
