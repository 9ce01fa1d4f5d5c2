import Foundation
import JSON
import TestSupport
import Testing

/// `Idempotency-Key` over a restart.
struct RetryTests {
    @Test func `a repeated key gives the first answer, also after a restart`() throws {
        let folder = try DataFolder()
        let key = ["idempotency-key": "retry-1"]
        var server = try Kanbase(on: folder)

        let first = try server.client().post("/tasks", ["title": "once"], key)
        let second = try server.client().post("/tasks", ["title": "once"], key)
        server.stop(SIGKILL)
        server = try Kanbase(on: folder)
        let third = try server.client().post("/tasks", ["title": "once"], key)

        #expect(first.status == 201)
        #expect(first.header("Idempotency-Replayed") == nil)
        for repeated in [second, third] {
            #expect(repeated.status == 201)
            #expect(repeated.header("Idempotency-Replayed") == "true")
            #expect(repeated.body == first.body)
            #expect(repeated.tag == first.tag)
            #expect(repeated.header("Location") == first.header("Location"))
        }
        #expect(try server.client().get("/tasks").items.count == 1)
    }
}
