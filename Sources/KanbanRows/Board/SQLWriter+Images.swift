import Kanban

extension SQLBoardWriter {
    package func add(_ image: Image, _ content: [UInt8]) throws {
        try charge(RowCost.image + content.count, for: .content)
        try add(image)
        try add(content: content, of: image.id)
    }

    /// Writes the row of an image without its bytes, which a device loads later.
    package func add(_ image: Image) throws {
        // The account may refer to it already: an import removes an image and adds it again. PostgreSQL cannot infer the type of
        // a parameter beside NULL.
        let statement = try statement(
            """
            INSERT INTO images (account, id, media_type, bytes, fingerprint, unnamed_since, revision, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5,
                CASE WHEN EXISTS (SELECT 1 FROM accounts WHERE number = ?1 AND image = ?2) THEN NULL
                    ELSE CAST(?6 AS bigint) END, ?7, ?8)
            """)
        var row = RowBinding(statement, of: account)
        row.bind(2, image.id)
        row.bind(3, image.mediaType.rawValue)
        row.bind(4, image.bytes)
        row.bind(5, Int64(bitPattern: image.fingerprint))
        row.bind(7, image.revision)
        statement.bind(6, now)
        statement.bind(8, row.checksum)
        try statement.run()
        writing.additions += 1
    }

    /// Writes the bytes of an image whose row exists.
    package func add(content: [UInt8], of id: ID) throws {
        let statement = try statement(
            "INSERT INTO image_contents (account, id, content, checksum) VALUES (?1, ?2, ?3, ?4)")
        var row = RowBinding(statement, of: account)
        row.bind(2, id)
        row.bind(3, content)
        statement.bind(4, row.checksum)
        try statement.run()
        writing.additions += 1
    }

    package func removeImage(_ id: ID, revision: Revision) throws {
        guard let image = try image(id) else { return }
        try erase(image: id)
        let shown = try statement("UPDATE accounts SET image = NULL WHERE number = ?1 AND image = ?2")
        shown.bind(2, id)
        try shown.run()
        try charge(-RowCost.image - image.bytes, for: .content)
        try bury(.image, id, revision: revision)
    }

    /// Removes the rows without a tombstone.
    package func erase(image id: ID) throws {
        let content = try statement("DELETE FROM image_contents WHERE account = ?1 AND id = ?2")
        content.bind(2, id)
        try content.run()
        let row = try statement("DELETE FROM images WHERE account = ?1 AND id = ?2")
        row.bind(2, id)
        try row.run()
    }

    package func forgetLostImage() throws {
        try statement(
            """
            UPDATE accounts SET image = NULL WHERE number = ?1 AND image IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM images WHERE account = ?1 AND id = accounts.image)
            """
        ).run()
    }

    /// Updates since when nothing refers to an image. Called after a row that referred to `old` refers to `new`.
    package func noteNaming(of new: ID?, insteadOf old: ID?) throws {
        guard new != old else { return }
        if let new {
            let statement = try statement(
                """
                UPDATE images SET unnamed_since = NULL WHERE account = ?1 AND id = ?2
                RETURNING revision > (SELECT revision FROM accounts WHERE number = ?1)
                """)
            statement.bind(2, new)
            // A row that this transaction added is still only added.
            if try statement.first({ $0.integer() != 0 }) == true { writing.additions += 1 }
        }
        if let old {
            let statement = try statement(
                """
                UPDATE images SET unnamed_since = ?3 WHERE account = ?1 AND id = ?2
                    AND NOT EXISTS (SELECT 1 FROM accounts WHERE number = ?1 AND image = ?2)
                    AND NOT EXISTS (SELECT 1 FROM categories WHERE account = ?1 AND image = ?2 AND deleted_at IS NULL)
                    AND NOT EXISTS (SELECT 1 FROM ddays WHERE account = ?1 AND image = ?2 AND deleted_at IS NULL)
                """)
            statement.bind(2, old)
            statement.bind(3, now)
            try statement.run()
        }
    }

    package func purgeImage(_ id: ID, before: Timestamp) throws {
        let statement = try statement(
            "SELECT 1 FROM images WHERE account = ?1 AND id = ?2 AND unnamed_since < ?3")
        statement.bind(2, id)
        statement.bind(3, before)
        if try statement.exists() { try removeImage(id, revision: nextRevision()) }
    }
}
