import Foundation
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Images on devices, against the real API without a socket.
struct DeviceImageTests {
    private static let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
    private static let jpeg = Data([0xff, 0xd8, 0xff, 0xe0, 9])

    private func pair() async throws -> (server: LocalServer, phone: TestDevice, pad: TestDevice) {
        let server = try LocalServer()
        return (server, try await TestDevice.on(server), try await TestDevice.on(server, seed: 2))
    }

    @Test func `an image of one device is on another's D-day`() async throws {
        let (_, phone, pad) = try await pair()
        let id = try await phone.board.add(image: Self.png)
        let dday = try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        #expect(dday.image == id)
        #expect(try await phone.board.image(id) == Self.png)

        try await phone.board.syncNow()
        try await pad.board.syncNow()

        #expect(try pad.board.ddays().current().map(\.image) == [id])
        #expect(try await pad.board.image(id) == Self.png)
        #expect(try phone.board.issues.current().isEmpty)
        #expect(try await phone.board.pending().isEmpty)
    }

    @Test func `an image is sent before anything names it`() async throws {
        let (_, phone, pad) = try await pair()
        try await phone.board.syncNow()
        let id = try await phone.board.add(image: Self.png)

        try await phone.board.syncNow(until: .pushed)
        try await pad.board.syncNow()
        #expect(try await pad.board.image(id) == Self.png)

        // From the other device.
        try await pad.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        try await pad.board.syncNow()
        try await phone.board.syncNow()
        #expect(try phone.board.ddays().current().map(\.image) == [id])
        #expect(try pad.board.issues.current().isEmpty)
    }

    @Test func `an image that a guest named nowhere yet goes along to the account`() async throws {
        let network = MeddlingNetwork(to: try LocalServer())
        let board = try await TestDevice.on(network).board
        let session = #"{"token": "kb_token", "account": {"id": "\#(KanbanID())"}}"#
        network.meddle { $0 == "/sessions" ? .answer(201, session) : .none }
        let id = try await board.add(image: Self.png)

        try await board.logIn(email: "a@example.org", password: "correct-horse", guest: .add)

        #expect(try await board.image(id) == Self.png)
        await board.close()
    }

    @Test func `what was shown is on the device, without a network`() async throws {
        let (server, phone, pad) = try await pair()
        let id = try await phone.board.add(image: Self.png)
        try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        _ = try await pad.board.image(id)
        _ = try await server.json("DELETE", "/images/\(id)")

        let again = try await pad.reopened()

        #expect(try await again.board.image(id) == Self.png)
        await again.board.close()
    }

    @Test func `an image that was deleted elsewhere goes, and the D-day stays`() async throws {
        let (server, phone, pad) = try await pair()
        let id = try await phone.board.add(image: Self.png)
        try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        try await phone.board.syncNow()
        try await pad.board.syncNow()
        _ = try await server.json("DELETE", "/images/\(id)")

        for device in [phone, pad] {
            try await device.board.syncNow()
            #expect(try device.board.ddays().current().map(\.image) == [nil])
            await #expect(throws: KanbanError.notFound) { try await device.board.image(id) }
        }
    }

    @Test func `on a full disk an image of the server is shown all the same`() async throws {
        let (_, phone, pad) = try await pair()
        let id = try await phone.board.add(image: Self.jpeg + Data(count: 500_000))
        try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        for device in [phone, pad] { try await device.board.syncNow() }
        try await pad.fillDisk()

        #expect(try await pad.board.image(id).count > 500_000)
    }

    @Test func `what is no image is refused at once`() async throws {
        let device = try await TestDevice()
        let page = Data("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)
        await #expect(throws: KanbanError.invalid([Fault(pointer: "#", code: "invalid_format")])) {
            try await device.board.add(image: page)
        }
        await #expect(throws: KanbanError.invalid([Fault(pointer: "#", code: "too_long")])) {
            try await device.board.add(image: Self.jpeg + Data(count: 1 << 20))
        }
        await #expect(throws: KanbanError.invalid([Fault(pointer: "#/image", code: "unknown_image")])) {
            try await device.board.createDDay(.init(title: "exam", date: "2026-12-24", image: KanbanID()))
        }
        #expect(try device.board.ddays().current().isEmpty)
    }

    @Test func `an image and the edit that names it survive that the app ends`() async throws {
        let server = try LocalServer()
        let device = try await TestDevice()
        let id = try await device.board.add(image: Self.png)
        try await device.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        await device.board.close()

        let again = try await device.reopened { $0.dependencies.transport = server }
        try await again.board.syncNow()

        #expect(
            try await server.json("GET", "/ddays")["items"]?.arrayValue?.first?["image"]?.stringValue == id.description)
        await again.board.close()
    }

    @Test func `a lost answer is sent for again`() async throws {
        let server = try LocalServer()
        let network = AnswerLosingNetwork(to: server)
        let device = try await TestDevice { $0.dependencies.transport = network }
        let id = try await device.board.add(image: Self.png)
        try await device.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        network.losesNextAnswer()
        // It may be tried again before it is given up.
        do { try await device.board.syncNow() } catch is KanbanError {}

        try await device.board.syncNow()

        #expect(try await server.json("GET", "/ddays")["items"]?.arrayValue?.count == 1)
        #expect(try device.board.issues.current().isEmpty)
        await device.board.close()
    }

    @Test func `a page of a proxy is no receipt for an image`() async throws {
        let server = try LocalServer()
        let network = RefusingNetwork(to: server, status: 200, body: "<html>Log in to the hotel</html>")
        let device = try await TestDevice { $0.dependencies.transport = network }
        let id = try await device.board.add(image: Self.png)
        try await device.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        await #expect(throws: KanbanError.self) { try await device.board.syncNow() }

        network.takesImages()
        try await device.board.syncNow()

        #expect(try device.board.issues.current().isEmpty)
        #expect(
            try await server.json("GET", "/ddays")["items"]?.arrayValue?.first?["image"]?.stringValue == id.description)
        await device.board.close()
    }

    @Test(arguments: [(413, "payload_too_large"), (415, "unsupported_media_type"), (507, "quota_exceeded")])
    func `what the server does not take becomes an issue, and the rest is sent`(status: Int, code: String) async throws
    {
        let server = try LocalServer()
        let network = RefusingNetwork(to: server, status: status, code: code)
        let device = try await TestDevice { $0.dependencies.transport = network }
        let id = try await device.board.add(image: Self.png)
        let dday = try await device.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        try await device.board.create(.init(title: "task"))

        try await device.board.syncNow()

        let issue = try #require(try device.board.issues.current().first)
        #expect(try device.board.issues.current().count == 1)
        #expect(issue.kind == .rejected([Fault(pointer: "#", code: code)]) && issue.target == id)
        #expect(try device.board.ddays().current().map(\.image) == [nil])
        #expect(try await server.json("GET", "/ddays")["items"]?.arrayValue?.first?["image"] == .null)
        #expect(try await server.json("GET", "/tasks")["items"]?.arrayValue?.count == 1)
        #expect(try await device.board.image(id) == Self.png)

        network.takesImages()
        try await device.board.answer(issue.id, .sendAgain)
        try await device.board.syncNow()

        #expect(try device.board.issues.current().isEmpty)
        let shown = try await server.json("GET", "/ddays/\(dday.id)")
        #expect(shown["image"]?.stringValue == id.description)
        await device.board.close()
    }

    @Test func `an image of an issue that is dismissed goes`() async throws {
        let network = RefusingNetwork(to: try LocalServer(), status: 415, code: "unsupported_media_type")
        let device = try await TestDevice { $0.dependencies.transport = network }
        let id = try await device.board.add(image: Self.png)
        try await device.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        try await device.board.syncNow()
        let issue = try #require(try device.board.issues.current().first)

        try await device.board.answer(issue.id, .dismiss)

        #expect(try device.board.issues.current().isEmpty)
        await #expect(throws: KanbanError.notFound) { try await device.board.image(id) }
        await device.board.close()
    }

    @Test func `undo takes an image off, and redo puts it on`() async throws {
        let (_, phone, pad) = try await pair()
        let id = try await phone.board.add(image: Self.png)
        let dday = try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24"))
        try await phone.board.editDDay(dday.id) { $0.image = id }

        #expect(try await phone.board.undo() == .done)
        #expect(try phone.board.ddays().current().map(\.image) == [nil])
        #expect(try await phone.board.redo() == .done)
        try await phone.board.syncNow()
        try await pad.board.syncNow()

        #expect(try pad.board.ddays().current().map(\.image) == [id])
    }

    @Test func `a D-day and a category whose images are gone come back without them`() async throws {
        let server = try LocalServer()
        let board = try await TestDevice.on(server).board
        let id = try await board.add(image: Self.png)
        let exam = try await board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        let home = try await board.createCategory(.init(name: "Home"))
        let task = try await board.create(.init(title: "task", category: .id(home.id)))
        try await board.syncNow()
        _ = try await server.json("PATCH", "/categories/\(home.id)", ["image": .string(id.description)])
        try await board.syncNow()
        try await board.deleteDDay(exam.id)
        try await board.deleteCategory(home.id)
        try await board.syncNow()
        // As the server does with one that nothing names for thirty days.
        _ = try await server.json("DELETE", "/images/\(id)")
        try await board.syncNow()

        let outcomes = [try await board.undo(), try await board.undo()]

        let category = try #require(try board.categories().current().first)
        let dday = try #require(try board.ddays().current().first)
        #expect(category.name == "Home")
        #expect(dday.title == "exam" && dday.image == nil)
        let lost = [category.id, dday.id].map { target -> UndoOutcome in
            .partly([Conflict(target: target, member: "image", mine: id.description, theirs: nil)])
        }
        #expect(outcomes == lost)
        try await board.syncNow()
        #expect(try board.issues.current().isEmpty)
        #expect(try await board.task(task.id)?.categoryID == category.id)
        #expect(try await server.json("GET", "/ddays")["items"]?.arrayValue?.count == 1)
        await board.close()
    }

    @Test func `a D-day whose image was refused can be undone`() async throws {
        let network = RefusingNetwork(to: try LocalServer(), status: 507, code: "quota_exceeded")
        let board = try await TestDevice.on(network).board
        let id = try await board.add(image: Self.png)
        try await board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        try await board.syncNow()

        #expect(try await board.undo() == .done)
        #expect(try board.ddays().current().isEmpty)
        await board.close()
    }

    @Test func `an image that was sent before a restore, and its D-day not, is sent again`() async throws {
        let (server, phone, _) = try await pair()
        try await phone.board.syncNow()
        let backup = try await server.export()
        let id = try await phone.board.add(image: Self.png)
        try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        // The network goes before the push.
        try await phone.board.core.uploadImages(phone.board.core.replica, phone.board.core.client(of: nil))
        try await server.restore(backup)

        try await phone.board.syncNow()

        #expect(try phone.board.issues.current().isEmpty)
        #expect(
            try await server.json("GET", "/ddays")["items"]?.arrayValue?.first?["image"]?.stringValue == id.description)
    }

    @Test func `an image that was refused is not sent again after a restore`() async throws {
        let server = try LocalServer()
        let device = try await TestDevice.on(RefusingNetwork(to: server, status: 415, code: "unsupported_media_type"))
        let backup = try await server.export()
        let id = try await device.board.add(image: Self.png)
        try await device.board.syncNow()
        try await device.board.create(.init(title: "task"))
        try await device.board.syncNow()
        try await server.restore(backup)

        try await device.board.syncNow()

        #expect(try device.board.issues.current().filter { $0.target == id }.count == 1)
        await device.board.close()
    }

    @Test func `a server that was restored gets the images again`() async throws {
        let (server, phone, _) = try await pair()
        let backup = try await server.export()
        let id = try await phone.board.add(image: Self.png)
        try await phone.board.createDDay(.init(title: "exam", date: "2026-12-24", image: id))
        try await phone.board.syncNow()
        try await server.restore(backup)
        try await phone.board.syncNow()
        let issue = try #require(try phone.board.issues.current().first { $0.kind == .restoredServer })

        try await phone.board.answer(issue.id, .sendAgain)
        try await phone.board.syncNow()

        #expect(
            try await server.json("GET", "/ddays")["items"]?.arrayValue?.first?["image"]?.stringValue == id.description)
        #expect(try phone.board.ddays().current().map(\.image) == [id])
    }
}

/// Loses an answer on request.
private final class AnswerLosingNetwork: Transport {
    private let server: any Transport
    private let loses = TestFlag()

    init(to server: any Transport) {
        self.server = server
    }

    func losesNextAnswer() { loses.set(true) }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        let answer = try await server.send(request, timeout: timeout)
        guard !loses.isSet else {
            loses.set(false)
            throw NetworkError()
        }
        return answer
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        server.stream(request, timeout: timeout)
    }
}

/// Refuses images until a test lets it take them.
private final class RefusingNetwork: Transport {
    private let server: any Transport
    private let status: Int
    private let body: String
    private let takes = TestFlag()

    init(to server: any Transport, status: Int, body: String) {
        self.server = server
        self.status = status
        self.body = body
    }

    convenience init(to server: any Transport, status: Int, code: String) {
        self.init(to: server, status: status, body: "{\"code\": \"\(code)\"}")
    }

    func takesImages() { takes.set(true) }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        guard request.httpMethod == "PUT", request.url?.path.hasPrefix("/images/") ?? false, !takes.isSet else {
            return try await server.send(request, timeout: timeout)
        }
        return (status, [:], Array(body.utf8))
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        server.stream(request, timeout: timeout)
    }
}
