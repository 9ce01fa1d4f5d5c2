import Kanban

extension SQLBoard {
    package func image(_ id: ID) throws -> Image? {
        let statement = try statement(
            "SELECT revision, id, media_type, bytes, fingerprint FROM images WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        return try first(of: statement) { try ImageRow.decode($0) }
    }

    package func imageContent(_ id: ID) throws -> [UInt8]? {
        let statement = try statement("SELECT content FROM image_contents WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        return try first(of: statement) { $0.bytes(0) }
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
        return try all(of: statement) { try ImageRow.decode($0) }
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
        return try all(of: statement) { try $0.id(0) }
    }
}

enum ImageRow {
    static func decode(_ row: some EngineStatement) throws -> Image {
        guard let mediaType = Image.MediaType(rawValue: row.text(2)) else {
            throw StoreError.corrupt("an image of an unknown kind")
        }
        return Image(
            id: try row.id(1), mediaType: mediaType, bytes: Int(row.integer(3)),
            fingerprint: UInt64(bitPattern: row.integer(4)), revision: row.integer(0))
    }
}
