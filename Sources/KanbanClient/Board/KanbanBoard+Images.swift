import Foundation
import JSON
import Kanban
import KanbanRows

/// Images of D-days and categories: kept on the device, sent with the outbox, before the edits that name them.
extension KanbanBoard {
    /// Keeps a PNG, JPEG, WebP or HEIC of at most 1 MiB on the device. Name it in a D-day: it is sent with the outbox.
    /// - Throws: ``KanbanError/invalid(_:)`` for anything else.
    public func add(image: Data) async throws -> KanbanID {
        let content = try Self.content(of: image)
        let id = KanbanID()
        try await core.replica.write { try $0.addImage(id.id, content) }
        core.tell(.outbox(hasUnsent: true))
        return id
    }

    /// - Throws: ``KanbanError/invalid(_:)``.
    static func content(of image: Data) throws -> ImageContent {
        do throws(ImageContent.Fault) {
            return try ImageContent([UInt8](image))
        } catch {
            throw KanbanError.invalid([Fault(pointer: "#", code: error == .tooLarge ? "too_long" : "invalid_format")])
        }
    }

    /// From the device, else from the server.
    public func image(_ id: KanbanID) async throws -> Data {
        let shown = core.shown
        if let known = try shown.replica.read({ try $0.imageContent(id.id) }) { return Data(known) }
        let content: ImageContent
        do {
            let answer = try await core.client(of: shown.account).send(.get("/images/\(id)"))
            guard answer.status == 200 else { throw Failure(answer) }
            do throws(ImageContent.Fault) {
                content = try ImageContent(answer.body)
            } catch {
                throw Failure.malformedResponse
            }
        } catch {
            throw core.appError(error)
        }
        await core.keep(in: shown.replica) { try $0.cache(content, of: id.id) }
        return Data(content.bytes)
    }
}

extension BoardCore {
    /// Sends the images that the server does not have yet. The same bytes under the same id may come twice.
    func uploadImages(_ replica: Replica, _ client: APIClient) async throws {
        while let (id, bytes) = try replica.read({ try $0.connection.nextUnsentImage() }) {
            do {
                try await client.upload(bytes, as: id)
                try await replica.write { try $0.noteSent(image: id) }
            } catch let failure as Failure {
                guard case .problem(let problem) = failure, problem.refusesImage else { throw failure }
                log(LogEvent(failure, code: "image.refused"))
                try await replica.write { try $0.refuse(image: id, problem) }
            }
        }
    }
}

extension APIClient {
    /// - Throws: ``Failure``.
    func upload(_ image: [UInt8], as id: ID) async throws {
        let call = APICall(
            method: "PUT", path: "/images/\(id)", headers: [("Content-Type", "application/octet-stream")], body: image)
        let answer: APIResponse
        do {
            answer = try await send(call)
        } catch let error as NetworkError {
            throw Failure(caught: error)
        }
        guard (200..<300).contains(answer.status) else { throw Failure(answer) }
        // A page of a proxy is no receipt: the image would be lost.
        guard answer.isJSON else { throw Failure.notKanbase(cause: answer.kind) }
        guard let json = try? JSON(parsing: answer.body), json["id"]?.stringValue == id.description else {
            throw Failure.malformedResponse
        }
    }
}

extension Failure.Problem {
    /// For good, or until the user makes room: what else waits is sent without it.
    fileprivate var refusesImage: Bool {
        [400, 404, 409, 413, 415, 422].contains(status) || code == "quota_exceeded"
    }
}
