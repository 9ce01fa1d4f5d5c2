import Kanban
import KanbanRows
import Testing

struct BindingTests {
    private let connection: SQLiteConnection
    private let id = ID(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)

    init() throws {
        connection = try SQLiteConnection(path: ":memory:", access: .readWrite)
    }

    /// Short ones have a place of their own, long ones SQLite copies.
    @Test(arguments: [0, 1, 63, 64, 65, 5_000])
    func `values of any length are read as they were bound`(length: Int) throws {
        let statement = try connection.statement("SELECT ?1, ?2, ?3, ?4")
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let text = String(repeating: "a", count: length)
        statement.bind(1, text)
        statement.bind(2, bytes)
        statement.bind(3, id)
        statement.bind(4, utf8: Array(text.utf8))

        for _ in 0..<2 {
            #expect(try statement.step())
            #expect(statement.kind(0) == .text && statement.text() == text)
            #expect(statement.kind(1) == .bytes && statement.bytes() == bytes)
            #expect(try statement.id() == id)
            #expect(statement.kind(3) == .text && statement.text() == text)
            // What was bound stays.
            statement.reset()
        }
    }

    @Test func `another value takes the place of the first and leaves the others`() throws {
        let statement = try connection.statement("SELECT ?1, ?2")
        statement.bind(1, "a long title")
        statement.bind(2, "b")
        #expect(try statement.step())
        statement.reset()

        statement.bind(1, "c")

        #expect(try statement.step())
        #expect(statement.text() == "c" && statement.text() == "b")
    }

    @Test func `a row keeps its values when others are bound`() throws {
        try connection.run("CREATE TABLE notes (text TEXT NOT NULL) STRICT" as String)
        let insertion = try connection.statement("INSERT INTO notes VALUES (?1)")
        for text in ["first", "second"] {
            insertion.bind(1, text)
            try insertion.run()
        }

        #expect(try connection.text("SELECT group_concat(text) FROM notes") == "first,second")
    }
}
