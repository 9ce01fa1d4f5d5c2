#if !canImport(Darwin)
    import HTTP
    import JSON
    import Kanban
    import KanbanAccess
    import TestSupport
    import Testing

    @testable import KanbanAPI

    @Suite(.timeLimit(.minutes(10)))
    struct ProviderRoutesTests {
        private func items(_ board: AccessBoard) async -> [JSON] {
            let answer = await board.send(.get, "/providers")
            #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
            return answer.json["items"]?.arrayValue ?? []
        }

        @Test func `a page learns without a log-in where people sign in`() async throws {
            let issuer = try StubIssuer([])
            defer { issuer.stop() }
            let own = try #require(Provider("own=\(issuer.url),web,app"))
            let other = Provider(name: "other", issuer: issuer.url, clientIDs: ["b", "a"])
            let board = try AccessBoard(oidc: [own, other])

            let found = await items(board)

            let endpoint = JSON.string("\(issuer.url)/authorize")
            #expect(
                found == [
                    ["name": "own", "clientId": "web", "authorizationEndpoint": endpoint],
                    ["name": "other", "clientId": "a", "authorizationEndpoint": endpoint],
                ])
        }

        @Test func `a provider that cannot be reached is missing after a day`() async throws {
            let issuer = try StubIssuer([])
            let board = try AccessBoard(oidc: [Provider(name: "own", issuer: issuer.url, clientIDs: ["app"])])
            #expect(await items(board).count == 1)
            #expect(await items(board).count == 1 && issuer.fetches == 1)
            issuer.stop()

            board.clock.advance(seconds: 2 * 3_600)
            #expect(await items(board).count == 1)
            board.clock.advance(seconds: 86_400)
            #expect(await items(board) == [])
        }

        @Test(arguments: ["javascript:alert(1)", "http://id.example.org/authorize", "data:text/html,a", ""])
        func `an address that is not authenticated is not passed on`(address: String) async throws {
            let issuer = try StubIssuer([])
            defer { issuer.stop() }
            try issuer.publish([], signInAt: address)
            let board = try AccessBoard(oidc: [Provider(name: "own", issuer: issuer.url, clientIDs: ["app"])])

            #expect(await items(board) == [])
        }

        @Test func `there are none without accounts`() async throws {
            let answer = try await TestBoard().send(.get, "/providers")
            #expect(answer.status == 200 && answer.json == ["items": []])
        }
    }
#endif
