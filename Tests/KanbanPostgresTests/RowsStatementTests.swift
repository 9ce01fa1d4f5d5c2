import Testing

@testable import KanbanPostgres

struct RowsStatementTests {
    @Test func `a statement for several rows numbers their parameters in order`() {
        let insert = "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = excluded.b"

        #expect(
            PostgresStatement.multiplied(insert, rows: 3)
                == "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), ($5, $6) ON CONFLICT (a) DO UPDATE SET b = excluded.b"
        )
        #expect(PostgresStatement.multiplied(insert, rows: 1) == insert)
    }

    @Test func `an update of several rows takes its numbers from a list`() {
        let update = "UPDATE t SET\n    a = $2, b = b + $3\nWHERE k = $1"

        #expect(
            PostgresStatement.multiplied(update, rows: 2)
                == """
                UPDATE t SET
                    a = new.c2, b = b + new.c3
                FROM (VALUES ($1::bigint, $2::bigint, $3::bigint), ($4::bigint, $5::bigint, $6::bigint)) AS new (c1, c2, c3)
                WHERE k = new.c1
                """)
        #expect(PostgresStatement.multiplied(update, rows: 1) == update)
    }
}
