import Foundation
import Kanban
import KanbanRows

/// Images of D-days and categories: kept on the device, sent before the edits that name them.
extension KanbanBoard {
    /// The most bytes that an image may have.
    public static let mostImageBytes = 1 << 20

    /// Keeps a PNG, JPEG, WebP or HEIC of at most 1 MiB on the device. Name it in a D-day: it is sent with the outbox.
    public func add(image: Data) async throws -> KanbanID {
        let bytes = [UInt8](image)
        guard bytes.count <= Self.mostImageBytes else {
            throw KanbanError.invalid([Fault(pointer: "#", code: "too_long")])
        }
        guard ImageFormat(bytes) != nil else {
            throw KanbanError.invalid([Fault(pointer: "#", code: "invalid_format")])
        }
        let id = KanbanID()
        try await core.replica.write { transaction in
            try transaction.run(
                "INSERT INTO images (id, bytes, is_unsent) VALUES (?1, ?2, 1)", .id(id.id), .bytes(bytes))
        }
        return id
    }

    /// From the device, else from the server.
    public func image(_ id: KanbanID) async throws -> Data {
        if let known = try core.replica.read({ try $0.connection.image(id.id) }) { return Data(known) }
        let replica = core.replica
        let bytes: [UInt8]
        do {
            let answer = try await core.caller().send(.get("/images/\(id)"))
            guard answer.status == 200 else { throw Failure(answer) }
            guard ImageFormat(answer.body) != nil else { throw Failure.nonsense }
            bytes = answer.body
        } catch {
            throw Failure(caught: error).error
        }
        try await replica.write { transaction in
            try transaction.run(
                "INSERT OR IGNORE INTO images (id, bytes, is_unsent) VALUES (?1, ?2, 0)", .id(id.id), .bytes(bytes))
        }
        return Data(bytes)
    }
}

/// What an image is, by its first bytes.
enum ImageFormat: String {
    case png, jpeg, webp, heic

    init?(_ bytes: [UInt8]) {
        func has(_ text: String, at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: Array(text.utf8)) }
        if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            self = .png
        } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if has("RIFF", at: 0), has("WEBP", at: 8) {
            self = .webp
        } else if has("ftyp", at: 4), ["heic", "heix", "mif1", "msf1", "hevc"].contains(where: { has($0, at: 8) }) {
            self = .heic
        } else {
            return nil
        }
    }
}

extension SQLiteConnection {
    func image(_ id: ID) throws -> [UInt8]? {
        try all("SELECT bytes FROM images WHERE id = ?1", [.id(id)]) { $0.bytes(0) }.first
    }
}

extension BoardCore {
    /// Sends the images that the server does not have yet. The same bytes under the same id may come twice.
    func uploadImages(_ replica: Replica, _ caller: Caller) async throws {
        while true {
            let next = try replica.read { reader in
                try reader.connection.all("SELECT id, bytes FROM images WHERE is_unsent = 1 LIMIT 1", []) {
                    (id: try $0.id(0), bytes: $0.bytes(1))
                }.first
            }
            guard let (id, bytes) = next else { return }
            let call = Call(
                method: "PUT", path: "/images/\(id)",
                headers: [("Content-Type", "image/\(ImageFormat(bytes)?.rawValue ?? "png")")], body: bytes)
            let answer: Answer
            do {
                answer = try await caller.send(call)
            } catch is NetworkError {
                throw Failure.network
            }
            switch answer.status {
            // Taken; or refused for good: then what names it is refused, and there is an issue.
            case 200..<300, 400, 404, 409, 413, 415, 422: break
            default: throw Failure(answer)
            }
            if !(200..<300).contains(answer.status) { log(LogEvent(code: "image.refused", status: answer.status)) }
            try await replica.write { try $0.run("UPDATE images SET is_unsent = 0 WHERE id = ?1", .id(id)) }
        }
    }
}
