import JSON
import Kanban
import KanbanRows
import KanbanWire

/// Images on the device: their metadata, the bytes of those that were added or shown here, and which of them are not on
/// the server yet.
extension Transaction {
    /// The most bytes kept of images that the server has, too. Beyond it the images that were shown first are dropped.
    private static let mostCached = 64 << 20

    func addImage(_ id: ID, _ content: ImageContent) throws {
        let image = Image(
            id: id, mediaType: content.mediaType, bytes: content.bytes.count, fingerprint: content.fingerprint,
            revision: try rows.nextRevision())
        try rows.add(image, content.bytes)
        try noteUnsent(id)
    }

    private func noteUnsent(_ id: ID) throws {
        try run("INSERT OR IGNORE INTO unsent_images (id) VALUES (?1)", .id(id))
    }

    /// Caches the bytes of an image of the server. Does nothing for an image that the feed has not brought, or that was
    /// deleted.
    func cache(_ content: ImageContent, of id: ID) throws {
        guard try rows.image(id) != nil, try rows.imageContent(id) == nil else { return }
        try rows.add(content: content.bytes, of: id)
        let kept = try all(
            """
            SELECT image_contents.id, images.bytes FROM image_contents
            JOIN images ON images.account = image_contents.account AND images.id = image_contents.id
            WHERE image_contents.account = 1 AND image_contents.id NOT IN (SELECT id FROM unsent_images)
                AND images.revision < 4503599627370496
            ORDER BY number DESC
            """
        ) { (id: try $0.id(), bytes: Int($0.integer())) }
        var bytes = 0
        for image in kept {
            bytes += image.bytes
            if bytes > Self.mostCached { try run("DELETE FROM image_contents WHERE id = ?1", .id(image.id)) }
        }
    }

    func noteSent(image id: ID) throws {
        try run("DELETE FROM unsent_images WHERE id = ?1", .id(id))
    }

    // MARK: - Refused

    /// The server refused the image: edits that name it are sent without it, and an issue keeps both.
    func refuse(image id: ID, _ problem: Failure.Problem) throws {
        try noteSent(image: id)
        try rollBackEdits()
        var named: [ResourceKey] = []
        for edit in try outbox() where edit.attempts == 0 && edit.mutation.value["image"]?.names(id) ?? false {
            let members = (edit.mutation.value.objectMembers ?? []).map { member in
                member.name == "image" ? JSON.Member("image", .null) : member
            }
            try run("UPDATE outbox SET value = ?2 WHERE n = ?1", .integer(edit.n), .text(JSON.object(members).text))
            if !named.contains(edit.mutation.resource) { named.append(edit.mutation.resource) }
        }
        // An undo would take the missing image for a change of another device.
        try run(
            "UPDATE undo SET steps = replace(steps, ?1, ?2)", .text("\"image\":\"\(id)\""), .text("\"image\":null"))
        try forgetInTrash(image: id)
        try replayEdits()
        try add(.refused(image: id, problem, named: named))
        touched.formUnion([.outbox, .status])
    }

    /// What was made with the image and deleted before a push would name it when it is restored.
    private func forgetInTrash(image id: ID) throws {
        for var category in try rows.categories(inTrash: true) where category.image == id {
            category.image = nil
            try rows.save(category)
        }
        for var dday in try rows.ddays(inTrash: true, after: nil, limit: nil) where dday.image == id {
            dday.image = nil
            try rows.save(dday)
        }
    }

    /// Sends the image of the issue again, and sets it again where it was named.
    func sendImageAgain(_ issue: StoredIssue) throws {
        guard let id = issue.resource.id, let image = try rows.image(id) else { throw KanbanError.notFound }
        // The server has it from a board without an account.
        if image.revision.isOptimistic {
            guard try rows.imageContent(id) != nil else { throw KanbanError.notFound }
            try noteUnsent(id)
        }
        for resource in (issue["named"].arrayValue ?? []).compactMap(ResourceKey.init(named:))
        where try isThere(resource) {
            try edit(StoredMutation(.patch, resource, ["image": .string(id.description)]))
        }
    }

    func forgetRefusedImage(_ issue: StoredIssue) throws {
        guard let id = issue.resource.id, let image = try rows.image(id), image.revision.isOptimistic else { return }
        try rows.erase(image: id)
    }

    // MARK: - Another history

    /// A restored server may lack images that are here. Send them again, because edits that are sent again name them.
    func endLoadingOfImages(isRestored: Bool) throws {
        for var image in try rows.images(after: nil, limit: .max) {
            if image.revision.isOfEarlierHistory {
                guard isRestored, try rows.imageContent(image.id) != nil else {
                    try rows.erase(image: image.id)
                    continue
                }
                image.revision = try rows.nextRevision()
                try rows.save(image)
                try noteUnsent(image.id)
            } else if isRestored, image.revision.isOptimistic, try !hasRejection(of: .image(image.id)) {
                // Sent before the server was restored, and lost with its history before the feed brought it.
                try noteUnsent(image.id)
            }
        }
    }
}

extension SQLiteConnection {
    func unsentImages() throws -> [ID] {
        try all(
            "SELECT id FROM image_contents WHERE account = 1 AND id IN (SELECT id FROM unsent_images)", []
        ) { try $0.id() }
    }

    /// How many images are on this device alone. With an edit that waits and names it, an image is one thing.
    func loneImageCount() throws -> Int {
        let images = try unsentImages()
        guard !images.isEmpty else { return 0 }
        let named = try outbox().filter { !$0.isAnswered }.compactMap { $0.mutation.value["image"] }
        return images.count { image in !named.contains { $0.names(image) } }
    }

    func nextUnsentImage() throws -> (id: ID, bytes: [UInt8])? {
        try all(
            """
            SELECT id, content FROM image_contents
            WHERE account = 1 AND id IN (SELECT id FROM unsent_images) ORDER BY number LIMIT 1
            """, []
        ) { (id: try $0.id(), bytes: $0.bytes()) }.first
    }
}

extension JSON {
    fileprivate func names(_ id: ID) -> Bool { stringValue.flatMap { ID($0) } == id }
}

extension ResourceKey {
    fileprivate init?(named json: JSON) {
        guard let type = json["type"]?.stringValue.flatMap(ResourceType.init(rawValue:)),
            let id = json["id"]?.stringValue.flatMap({ ID($0) })
        else { return nil }
        self.init(type: type, id: id)
    }
}
