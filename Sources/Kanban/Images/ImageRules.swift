/// The rules of images.
extension BoardWriter {
    /// Stores the image under its id. The same bytes again change nothing; other bytes never replace the first.
    /// - Throws: ``BoardError/alreadyExists(_:)`` when the id has other bytes, ``BoardError/deleted(_:)``.
    package func putImage(
        _ id: ID, _ content: ImageContent, if precondition: Precondition = .none
    ) throws -> (image: Image, isNew: Bool) {
        if let old = try image(id) {
            try precondition.check(old.revision, current: .image(old))
            guard try isSame(old, content) else { throw BoardError.alreadyExists(.image) }
            return (old, false)
        }
        guard try !imageEverExisted(id) else { throw BoardError.deleted(.image) }
        try precondition.check(nil, current: nil)
        return (try addImage(id, content), true)
    }

    /// True if the stored image has these bytes.
    func isSame(_ image: Image, _ content: ImageContent) throws -> Bool {
        guard image.fingerprint == content.fingerprint else { return false }
        return try imageContent(image.id) == content.bytes
    }

    func addImage(_ id: ID, _ content: ImageContent) throws -> Image {
        let image = Image(
            id: id, mediaType: content.mediaType, bytes: content.bytes.count, fingerprint: content.fingerprint,
            revision: try nextRevision())
        try add(image, content.bytes)
        return image
    }

    /// Deletes the image. References to it become null.
    package func removeImage(_ id: ID, if precondition: Precondition = .none) throws {
        guard let old = try image(id) else { throw BoardError.notFound(.image) }
        try precondition.check(old.revision, current: .image(old))
        for category in try categories() where category.image == id {
            _ = try updateCategory(category.id) { $0.image = nil }
        }
        for dday in try ddays(after: nil, limit: nil) where dday.image == id {
            _ = try updateDDay(dday.id) { $0.image = nil }
        }
        try removeImage(id, revision: try nextRevision())
    }

    /// - Throws: ``BoardError/invalid(_:)`` when there is no image of this id.
    func requireImage(_ id: ID?) throws {
        guard let id, try image(id) == nil else { return }
        throw BoardError.unknownImage
    }
}
