import Foundation
import HTTP
import JSON
import Kanban
import KanbanAccess
import TestSupport
import Testing

@testable import KanbanAPI

struct HealthRoutesTests {
    @Test func `a ready server tells what it can do by its options, and no more`() async throws {
        let bare = try await AccessBoard(isMailOn: false).send(.get, "/health/ready")
        #expect(bare.status == 200 && bare.json["status"] == "ready")
        #expect(
            bare.json["features"] == ["account-export", "accounts", "images", "imports", "recurrence", "reminders"])
        #expect(bare.json["signUp"] == "open" && bare.json["providers"] == [])

        let providers = [
            "google=b.example,a.example", "company=https://login.example.org/,kanban", "apple=com.example.app",
        ].compactMap(Provider.init)
        let full = try await AccessBoard(policy: .invite, oidc: providers).send(.get, "/health/ready").json
        #expect(
            full["features"] == [
                "account-export", "accounts", "digest", "images", "imports", "mail", "oidc:apple", "oidc:company",
                "oidc:google", "recurrence", "reminders",
            ])
        #expect(full["signUp"] == "invite")
        #expect(
            full["providers"] == [
                ["name": "google", "issuer": "https://accounts.google.com", "clientIds": ["a.example", "b.example"]],
                ["name": "company", "issuer": "https://login.example.org", "clientIds": ["kanban"]],
                ["name": "apple", "issuer": "https://appleid.apple.com", "clientIds": ["com.example.app"]],
            ])
        #expect(try await AccessBoard(policy: .closed).send(.get, "/health/ready").json["signUp"] == "closed")
    }

    @Test func `an open server has neither accounts nor mail nor providers`() async throws {
        let ready = try await TestBoard().send(.get, "/health/ready").json

        #expect(ready["features"] == ["account-export", "images", "imports", "recurrence", "reminders"])
        #expect(ready["signUp"] == .null && ready["providers"] == [])
    }

    @Test func `the weather is there where there is a service for it`() async throws {
        let service = WeatherService(
            service: try #require(URL(string: "http://127.0.0.1:9")), clock: { Timestamp(milliseconds: 0) })

        let ready = try await TestBoard(weather: service).send(.get, "/health/ready").json

        #expect(ready["features"] == ["account-export", "images", "imports", "recurrence", "reminders", "weather"])
    }

    @Test func `every feature is explained, and nothing else is`() async throws {
        let document = try await TestBoard().send(.get, "/openapi.json").json
        let features = document["components"]?["schemas"]?["Readiness"]?["properties"]?["features"]
        let text = try #require(features?["description"]?.stringValue)

        let explained = text.matches(of: #/\* `([^`]+)`:/#).map { String($0.output.1) }

        #expect(explained == (Feature.allCases.map(\.rawValue) + ["oidc:NAME"]).sorted())
    }

    @Test func `a live server says so, and nothing else`() async throws {
        #expect(try await TestBoard().send(.get, "/health/live").json == ["status": "live"])
    }
}
