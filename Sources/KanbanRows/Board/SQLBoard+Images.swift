import Kanban

extension SQLBoard {
    package func image(_ id: ID) throws -> Image? {
        let statement = try statement(
            "SELECT revision, id, media_type, bytes, fingerprint FROM images WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        return try statement.first { try ImageRow.decode($0) }
    }

    package func imageContent(_ id: ID) throws -> [UInt8]? {
        let statement = try statement("SELECT content FROM image_contents WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        return try statement.first { $0.bytes() }
    }

    package func imageEverExisted(_ id: ID) throws -> Bool {
        try image(id) != nil || isBuried(.image, id)
    }

    package func images(after: ID?, limit: Int) throws -> [Image] {
        let statement = try statement(
            """
            SELECT revision, id, media_type, bytes, fingerprint FROM images
            WHERE account = ?1 AND id > ?2 ORDER BY id LIMIT ?3
            """)
        statement.bind(2, after ?? ID(high: 0, low: 0))
        statement.bind(3, limit)
        return try statement.all { try ImageRow.decode($0) }
    }

    /// Images that nothing has referred to since before `before`.
    package func unnamedImages(before: Timestamp, limit: Int) throws -> [ID] {
        let statement = try statement(
            """
            SELECT id FROM images WHERE account = ?1 AND unnamed_since IS NOT NULL AND unnamed_since < ?2
            ORDER BY unnamed_since LIMIT ?3
            """)
        statement.bind(2, before)
        statement.bind(3, limit)
        return try statement.all { try $0.id() }
    }
}

enum ImageRow {
    static func decode(_ row: some EngineStatement) throws -> Image {
        let (revision, id) = (row.integer(), try row.id())
        guard let mediaType = Image.MediaType(rawValue: row.text()) else {
            throw StoreError.corrupt("an image of an unknown kind")
        }
        return Image(
            id: id, mediaType: mediaType, bytes: Int(row.integer()), fingerprint: UInt64(bitPattern: row.integer()),
            revision: revision)
    }
}
