import HTTP
import JSON
import Kanban
import KanbanWire

/// Images: put, show, remove; as raw bytes.
package struct ImageRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.put, "/images/{id}", "putImage", content: .bytes(Image.longest), put),
            Route(.get, "/images/{id}", "showImage", show),
            Route(.delete, "/images/{id}", "removeImage", remove),
        ]
    }

    private func put(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .image)
            let content: ImageContent
            do throws(ImageContent.Fault) {
                content = try ImageContent(call.request.body)
            } catch {
                throw Problem(error)
            }
            let precondition = call.precondition
            return { board in
                let (image, isNew) = try board.putImage(id, content, if: precondition)
                return .json(
                    status: isNew ? 201 : 200, tag: EntityTag.tag(image),
                    headers: isNew ? [("Location", "/images/\(image.id)")] : []
                ) { $0.value(image) }
            }
        }
    }

    private func show(_ call: Call) async throws -> Response {
        let id = try call.id(of: .image)
        let image = try await call.read { try $0.image(id) }
        guard let image else { throw BoardError.notFound(.image) }
        var answer = Response(
            status: 200, contentType: image.mediaType.rawValue, tag: EntityTag.tag(image),
            // The bytes under an id never change: clients that have them need not ask for a year.
            cacheControl: "private, immutable, max-age=31536000")
        // A 304 needs no bytes. A megabyte must not be read on a loop.
        if try await call.has(answer) { return answer }
        let content = try await call.store.readAside(call.account) { try $0.imageContent(id) }
        guard let content else { throw BoardError.notFound(.image) }
        answer.body = .bytes(content)
        return answer
    }

    private func remove(_ call: Call) async throws -> Response {
        try await call.write {
            let id = try call.id(of: .image)
            let precondition = call.precondition
            return { board in
                try board.removeImage(id, if: precondition)
                return .noContent
            }
        }
    }
}

extension Call {
    /// True if the client gets a 304 or 412 in place of this answer.
    fileprivate func has(_ answer: Response) async throws -> Bool {
        var answer = answer
        if caller.grant != nil { answer = answer.scoped(to: try await environment.tagScope(of: caller)) }
        answer.require(match: request)
        answer.makeConditional(on: request)
        return answer.status != 200
    }
}

extension EntityTag {
    fileprivate static func tag(_ image: Image) -> String {
        tag(image.revision, digest: image.fingerprint)
    }
}

extension Problem {
    fileprivate init(_ fault: ImageContent.Fault) {
        let accepted = Image.MediaType.allCases.map(\.rawValue).joined(separator: ", ")
        switch fault {
        case .tooLarge: self.init(.payloadTooLarge, "The body \(fault.detail)")
        case .unknownKind:
            self.init(.unsupportedMediaType, "The body \(fault.detail)", headers: [("Accept", accepted)])
        }
    }
}
