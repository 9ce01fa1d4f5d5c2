import HTTP
import Testing

struct RequestTests {
    @Test func `the query is split and decoded in order`() {
        let request = Request(method: .get, target: "/tasks?q=a+b%26c&flag&empty=&q=%ED%95%A0&&x=1=2")

        let items = request.queryItems.map { "\($0.name)|\($0.value)" }

        #expect(items == ["q|a b&c", "flag|", "empty|", "q|할", "x|1=2"])
        #expect(request.query == "q=a+b%26c&flag&empty=&q=%ED%95%A0&&x=1=2")
        #expect(request.path == "/tasks")
    }

    @Test func `a target without a question mark has no query`() {
        #expect(Request(method: .get, target: "/tasks").query == nil)
        #expect(Request(method: .get, target: "/tasks?").query == "")
        #expect(Request(method: .get, target: "/tasks?").queryItems.isEmpty)
    }

    @Test func `header fields are found in any case and keep their order`() {
        let request = Request(
            method: .get, target: "/",
            headers: Headers([("Accept", "a"), ("If-None-Match", "\"1\""), ("ACCEPT", "b")]))

        #expect(request.headers["accept"] == "a")
        #expect(request.headers.values("accept") == ["a", "b"])
        #expect(request.headers["accep"] == nil)
        #expect(request.headers.has("if-none-match", equalTo: "\"1\""))
        #expect(!request.headers.has("if-none-match", equalTo: "\"2\""))
        #expect(request.headers.fields.map(\.name) == ["Accept", "If-None-Match", "ACCEPT"])
        #expect(request.host == "localhost")
    }
}
