import Testing

@testable import KanbanPostgres

struct DialectTests {
    @Test(arguments: [
        ("SELECT a FROM t WHERE a = ?1 AND b = ?12", "SELECT a FROM t WHERE a = $1 AND b = $12"),
        ("FROM tasks INDEXED BY tasks_by_due\nWHERE", "FROM tasks\nWHERE"),
        (
            "SELECT creation, first_changes, octet_length(searched), number\nFROM tasks",
            "SELECT creation, first_changes, octet_length(searched), 0::bigint\nFROM tasks"
        ),
        (
            "first_changes = ?16\nWHERE account = ?1 AND tasks.number = ?2",
            "first_changes = $16\nWHERE account = $1 AND id = $2"
        ),
        (
            "WHERE +account = ?1 AND number IN (SELECT number FROM tasks WHERE account = ?1)",
            "WHERE account = $1 AND id IN (SELECT id FROM tasks WHERE account = $1)"
        ),
        (
            "(has_text(coalesce(searched, title), ?3) OR searched IS NULL AND has_text(body, ?3))",
            "(0 < strpos(lower(coalesce(searched, title)), $3) OR searched IS NULL AND 0 < strpos(lower(body), $3))"
        ),
        (
            "(has_initials(coalesce(searched, title), ?3) OR searched IS NULL AND has_initials(body, ?3))",
            "((coalesce(searched, title) ~ $3) OR searched IS NULL AND (body ~ $3))"
        ),
        (
            "SELECT coalesce(sum(bytes), 0), coalesce(sum(tasks), 0) FROM rows",
            "SELECT coalesce(sum(bytes), 0)::bigint, coalesce(sum(tasks), 0)::bigint FROM rows"
        ),
        ("CASE WHEN a THEN NULL ELSE ?6 END", "CASE WHEN a THEN NULL ELSE $6::bigint END"),
        ("+status IN (?2, ?3)", "status IN ($2, $3)"),
        ("+due >= ?2", "due >= $2"),
        ("AND +type IN (?4)", "AND type IN ($4)"),
    ])
    func `a statement is spelled as PostgreSQL wants it`(sqlite: String, postgres: String) {
        #expect(Dialect.translated(sqlite) == postgres)
    }

    @Test func `a statement for several rows numbers their parameters in order`() {
        let insert = "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = excluded.b"

        #expect(
            Dialect.multiplied(insert, rows: 3)
                == "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), ($5, $6) ON CONFLICT (a) DO UPDATE SET b = excluded.b"
        )
        #expect(Dialect.multiplied(insert, rows: 1) == insert)
    }

    @Test func `an update of several rows takes its numbers from a list`() {
        let update = "UPDATE t SET\n    a = $2, b = b + $3\nWHERE k = $1"

        #expect(
            Dialect.multiplied(update, rows: 2)
                == """
                UPDATE t SET
                    a = new.c2, b = b + new.c3
                FROM (VALUES ($1::bigint, $2::bigint, $3::bigint), ($4::bigint, $5::bigint, $6::bigint)) AS new (c1, c2, c3)
                WHERE k = new.c1
                """)
        #expect(Dialect.multiplied(update, rows: 1) == update)
    }

    @Test func `sums and the like stay as they are`() {
        let sql = "SELECT octet_length(title) + octet_length(body), count + excluded.count FROM tasks"

        #expect(Dialect.translated(sql) == sql)
    }
}
