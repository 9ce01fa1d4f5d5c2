import HTTP
import JSON
import Kanban
import KanbanAccess
import Sockets
import TestSupport
import Testing

@testable import KanbanAPI

struct GateTests {
    private func request(host: String?, _ headers: [(name: String, value: String)] = []) -> Request {
        let field = host.map { [(name: "Host", value: $0)] } ?? []
        let name = host.map { $0.hasPrefix("[") ? $0 : String($0.prefix { $0 != ":" }) }
        return Request(method: .get, target: "/tasks", headers: Headers(field + headers), host: name)
    }

    private func request(_ headers: [(name: String, value: String)]) -> Request {
        request(host: "localhost", headers)
    }

    /// Why the gate refuses the request at first sight.
    private func refusal(_ gate: some Gate, _ request: Request) -> Problem? {
        do throws(Problem) { _ = try gate.screen(request) } catch { return error }
        return nil
    }

    @Test(arguments: [(0, "1"), (20, "1"), (2_000, "2"), (2_001, "3")])
    func `a wait is rounded up to whole seconds, at least one`(milliseconds: Int, seconds: String) {
        #expect(Duration.milliseconds(milliseconds).retryAfter.value == seconds)
    }

    // MARK: Open

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST", "app.localhost:8080", "127.0.0.1", "127.3.2.1:80", "[::1]",
    ])
    func `a loopback name or address is answered`(host: String) {
        #expect(refusal(OpenGate(), request(host: host)) == nil)
    }

    @Test(arguments: [
        "example.org", "kanbase.example.org:8080", "192.168.0.7", "localhost.example.org", "127.0.0.1.example.org",
        "127.0.0", "127.0.0.256", "notlocalhost", "[::2]", "0.0.0.0",
    ])
    func `any other host is 421, for a foreign name may have been bound to this address`(host: String) throws {
        let problem = try #require(refusal(OpenGate(), request(host: host)))

        #expect(problem.status == 421)
        #expect(problem.code as? ProblemCode == .misdirectedRequest)
        #expect(refusal(OpenGate(requiresLoopbackHost: false), request(host: host)) == nil)
    }

    @Test func `HTTP 1 0 without a host is answered`() {
        #expect(refusal(OpenGate(), request(host: nil)) == nil)
    }

    @Test(arguments: [
        ("localhost:8080", "http://localhost:8080"), ("localhost:8080", "https://localhost:8080"),
        ("LOCALHOST:8080", "http://localhost:8080"), ("[::1]", "http://[::1]"),
    ])
    func `the server's own pages get in`(host: String, origin: String) {
        #expect(refusal(OpenGate(), request(host: host, [("Origin", origin)])) == nil)
    }

    @Test(arguments: [
        "http://example.org", "null", "http://localhost", "http://localhost:3000", "https://localhost:8080.example.org",
        "", "http://localhost:8080, http://example.org",
    ])
    func `pages of other origins are 403`(origin: String) throws {
        let problem = try #require(refusal(OpenGate(), request(host: "localhost:8080", [("Origin", origin)])))

        #expect(problem.status == 403)
        #expect(problem.code as? ProblemCode == .foreignOrigin)
    }

    @Test func `two origins are as foreign as one`() {
        let twice = request(host: "localhost", [("Origin", "http://localhost"), ("Origin", "http://localhost")])

        #expect(refusal(OpenGate(), twice)?.status == 403)
    }

    @Test func `an origin of the list gets in, and its answers may be read`() {
        let gate = OpenGate(crossOrigin: CrossOrigin(origins: ["http://localhost:3000"]))
        let request = request(host: "localhost:8080", [("Origin", "http://localhost:3000")])

        #expect(refusal(gate, request) == nil)
        #expect(gate.headers(for: request).contains { $0.value == "http://localhost:3000" })
    }

    /// What a browser says of a request that it makes for a page.
    private func fetch(
        _ site: String, _ mode: String = "no-cors", _ destination: String = "image"
    ) -> [(name: String, value: String)] {
        [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]
    }

    @Test func `a page of another site cannot have the board asked`() async throws {
        let board = try TestBoard()
        let id = try await board.task().id
        let data = [
            "/tasks", "/tasks/\(id)", "/board", "/changes", "/export", "/calendar.ics", "/images/\(id)", "/account",
        ]
        let pages = ["/", "/docs", "/reset", "/problems/blank", "/openapi.yaml", "/board/app.js"]

        for site in ["cross-site", "same-site", "x", ""] {
            for (mode, destination) in [
                ("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("navigate", "object"),
                ("cors", "empty"), ("", ""),
            ] {
                for target in data + pages + ["/nothing"] {
                    let answer = await board.send(.get, target, headers: fetch(site, mode, destination))
                    #expect(answer.status == 403 && answer.code == "foreign_origin", "\(target) \(site) \(mode)")
                }
            }
            // A link leads to a page; it does not show data, and it is no form.
            for target in data {
                #expect(await board.send(.get, target, headers: fetch(site, "navigate", "document")).status == 403)
            }
            for target in pages {
                #expect(await board.send(.get, target, headers: fetch(site, "navigate", "document")).status == 200)
            }
            #expect(await board.send(.get, "/nothing", headers: fetch(site, "navigate", "document")).status == 404)
            #expect(await board.send(.post, "/tasks", "{}", headers: fetch(site, "navigate", "document")).status == 403)
            #expect(await board.send(.options, "/tasks", headers: fetch(site)).status == 403)
        }
    }

    @Test func `the server's own pages, the address bar and programs ask what they like`() async throws {
        let board = try TestBoard()
        let id = try await board.task().id

        for site in ["same-origin", "none"] {
            for (mode, destination) in [("cors", "empty"), ("no-cors", "image"), ("navigate", "document")] {
                for target in ["/tasks", "/tasks/\(id)", "/", "/export"] {
                    let answer = await board.send(.get, target, headers: fetch(site, mode, destination))
                    #expect(answer.status == 200, "\(target) \(site) \(mode)")
                }
            }
        }
        #expect(await board.send(.get, "/tasks").status == 200)
    }

    @Test func `an origin of the list asks from its own site`() async throws {
        let board = try TestBoard(gate: OpenGate(crossOrigin: CrossOrigin(origins: ["https://app.example.org"])))
        let origin = [(name: "Origin", value: "https://app.example.org")]

        let called = await board.send(.get, "/tasks", headers: origin + fetch("cross-site", "cors", "empty"))
        let embedded = await board.send(.get, "/tasks", headers: fetch("cross-site"))

        #expect(called.status == 200 && called.header("Access-Control-Allow-Origin") == "https://app.example.org")
        #expect(embedded.status == 403)
    }

    @Test func `with accounts a token decides`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        let answer = await board.send(.get, "/tasks", token: anna.token, headers: fetch("cross-site", "cors", "empty"))

        #expect(answer.status == 200)
    }

    // MARK: Cross-origin

    private let app = CrossOrigin(origins: ["https://app.example.org"])

    @Test func `without a list there are no fields at all`() {
        #expect(CrossOrigin().headers(for: request([("Origin", "https://app.example.org")])).isEmpty)
    }

    @Test func `an origin of the list may read the fields that an app needs`() throws {
        let fields = app.headers(for: request([("Origin", "https://app.example.org")]))

        #expect(fields.first { $0.name == "Access-Control-Allow-Origin" }?.value == "https://app.example.org")
        let exposed = try #require(fields.first { $0.name == "Access-Control-Expose-Headers" }?.value)
        for name in ["Content-Disposition", "ETag", "Location", "Link", "X-Request-Id", "Retry-After"] {
            #expect(exposed.contains(name))
        }
        #expect(fields.contains { $0 == ("Vary", "Origin") })
    }

    @Test(arguments: [nil, "https://evil.example.org", "https://app.example.org.evil.org", "null"])
    func `another origin learns nothing, and caches keep the two apart`(origin: String?) {
        let fields = app.headers(for: request(origin.map { [("Origin", $0)] } ?? []))

        #expect(fields.map(\.name) == ["Vary"])
        #expect(fields.map(\.value) == ["Origin"])
    }

    @Test func `a preflight is answered without a token`() async throws {
        let board = try AccessBoard(crossOrigin: app)

        let answer = await board.send(
            .options, "/tasks",
            headers: [
                ("Origin", "https://app.example.org"), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "authorization,content-type,if-match"),
            ])

        #expect(answer.status == 204)
        #expect(answer.header("Access-Control-Allow-Origin") == "https://app.example.org")
        #expect(answer.header("Access-Control-Allow-Methods")?.contains("PATCH") == true)
        for name in [
            "Authorization", "Content-Type", "Content-Encoding", "If-Match", "Idempotency-Key", "Last-Event-ID",
        ] {
            #expect(answer.header("Access-Control-Allow-Headers")?.contains(name) == true)
        }
    }

    // MARK: Rate limit

    @Test(.overAFile("each of several servers has its share of the limit"))
    func `each account has its own rate limit, and its answers report it`() async throws {
        let board = try AccessBoard(limit: RateLimit(perSecond: 2, burst: 4))
        let anna = try await board.person("anna@example.org")
        let ben = try await board.person("ben@example.org")

        let first = await board.send(.get, "/tasks", token: anna.token)
        for _ in 0..<3 { #expect(await board.send(.get, "/tasks", token: anna.token).status == 200) }
        let refused = await board.send(.get, "/tasks", token: anna.token)
        let other = await board.send(.get, "/tasks", token: ben.token)
        board.clock.advance(seconds: 1)
        let later = await board.send(.get, "/tasks", token: anna.token)

        #expect(first.header("RateLimit-Policy") == "\"default\";q=4;w=2")
        #expect(first.header("RateLimit") == "\"default\";r=3;t=1")
        #expect(refused.status == 429)
        #expect(refused.code == "too_many_requests")
        #expect(refused.header("Retry-After") == "1")
        #expect(refused.header("RateLimit") == "\"default\";r=0;t=2")
        #expect(other.status == 200)
        #expect(later.status == 200)
    }

    @Test(.overAFile("each of several servers has its share of the limit"))
    func `a client without an account is counted by address, whatever token it tries`() async throws {
        let board = try AccessBoard(limit: RateLimit(perSecond: 1, burst: 3))

        var statuses: [Int] = []
        for guess in 0..<5 { statuses.append(await board.send(.get, "/tasks", token: "kb_\(guess)").status) }

        #expect(statuses == [401, 401, 401, 429, 429])
        #expect(await board.send(.get, "/tasks", token: "kb_0", from: "198.51.100.1").status == 401)
    }

    @Test(.overAFile("each of several servers has its share of the limit"))
    func `asking for what is not there counts too`() async throws {
        let board = try AccessBoard(limit: RateLimit(perSecond: 1, burst: 3))

        let answers = [
            await board.send(.get, "/nothing"), await board.send(.put, "/tasks", "{}"),
            await board.send(.options, "/tasks"), await board.send(.get, "/nothing"),
            await board.send(.put, "/tasks", "{}"),
        ]

        #expect(answers.map(\.status) == [404, 405, 204, 429, 429])
        #expect(answers.last?.header("Retry-After") == "1")
    }

    @Test(.overAFile("each of several servers has its share of the limit"))
    func `preflights count towards no limit, and nothing else goes uncounted`() async throws {
        let board = try AccessBoard(limit: RateLimit(perSecond: 1, burst: 3), crossOrigin: app)
        let origin = (name: "Origin", value: "https://app.example.org")
        let asked = (name: "Access-Control-Request-Method", value: "PATCH")

        for _ in 0..<20 {
            #expect(await board.send(.options, "/tasks", headers: [origin, asked]).status == 204)
            #expect(await board.send(.options, "/nothing", headers: [origin, asked]).status == 404)
        }
        var statuses: [Int] = []
        for fields in [[], [origin], [asked], [origin]] {
            statuses.append(await board.send(.options, "/tasks", headers: fields).status)
        }
        let other = await board.send(.get, "/nothing", headers: [origin, asked])

        #expect(statuses == [204, 204, 204, 429])
        #expect(other.status == 429)
    }

    @Test func `without a limit no answer reports one`() async throws {
        let board = try AccessBoard(limit: nil)
        let anna = try await board.person("anna@example.org")

        #expect(await board.send(.get, "/tasks", token: anna.token).header("RateLimit") == nil)
    }

    @Test func `operators' pages open for accounts, wherever the request comes from`() async throws {
        let metrics = Route(.get, "/metrics", "showMetrics", audience: .operators) { _ in Response(status: 200) }
        let board = try AccessBoard(routes: Routes.all.filter { $0.pattern != "/metrics" } + [metrics])
        let anna = try await board.person("anna@example.org")

        for peer in ["127.0.0.1", "::1", "192.0.2.1"] {
            #expect(await board.send(.get, "/metrics", from: peer).status == 401)
            #expect(await board.send(.get, "/metrics", token: anna.token, from: peer).status == 200)
        }
        let open = try TestBoard(routes: [metrics])
        #expect(await open.send(.get, "/metrics").status == 200)
    }
}
