import JSON
import Kanban

/// The table of a noun: its columns in one order for reading, writing and the checksum, made of the noun's members.
///
/// `revision` comes first, so that the change feed can compare rows before it decodes them; then `id`, the columns, and
/// `member_revisions`.
struct NounTable<Noun: Kanban.Noun>: Sendable {
    struct Column: Sendable {
        let name: String
        let kind: MemberForm.Column
        fileprivate let value: @Sendable (Noun) -> MemberValue
        /// - Returns: false for a value that no row of ours has.
        fileprivate let put: @Sendable (inout Noun, MemberValue) -> Bool

        init(_ member: Member<Noun>) {
            name = member.column
            kind = member.form.column
            value = { member.value(of: $0) }
            put = { member.put($1, into: &$0) }
        }

        /// What the server alone changes, and no table of members has.
        init<Value: MemberRepresentable>(
            _ name: String, _ kind: MemberForm.Column, _ path: WritableKeyPath<Noun, Value> & Sendable
        ) {
            self.name = name
            self.kind = kind
            value = { $0[keyPath: path].memberValue }
            put = { noun, value in
                guard let value = Value(value) else { return false }
                noun[keyPath: path] = value
                return true
            }
        }

        /// What only statements ask for.
        init(derived name: String, _ kind: MemberForm.Column, _ value: @escaping @Sendable (Noun) -> MemberValue) {
            self.name = name
            self.kind = kind
            self.value = value
            put = { _, _ in true }
        }
    }

    let name: String
    private let columns: [Column]
    private let hasID: Bool
    private let blank: @Sendable (ID) -> Noun
    private let id: @Sendable (Noun) -> ID

    /// All columns that are read, and that the checksum covers.
    var list: String { names.joined(separator: ", ") }

    private var names: [String] {
        ["revision"] + (hasID ? ["id"] : []) + columns.map(\.name) + ["member_revisions"]
    }

    /// Writes a row, or writes over it.
    let save: ComposedSQL

    /// - Parameter blank: a noun without values; the id is zero in a table without ids, which has one row an account.
    fileprivate init(
        _ name: String, _ columns: [Column], hasID: Bool, id: @escaping @Sendable (Noun) -> ID,
        blank: @escaping @Sendable (ID) -> Noun
    ) {
        self.name = name
        self.columns = columns
        self.hasID = hasID
        self.id = id
        self.blank = blank
        let written = ["revision"] + columns.map(\.name) + ["member_revisions", "checksum"]
        let names = (hasID ? ["id"] + written : written).joined(separator: ", ")
        let places = (1...written.count + (hasID ? 2 : 1)).map { "?\($0)" }.joined(separator: ", ")
        let key = hasID ? "account, id" : "account"
        let changes = written.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        save = ComposedSQL(
            """
            INSERT INTO \(name) (account, \(names)) VALUES (\(places))
            ON CONFLICT (\(key)) DO UPDATE SET \(changes)
            """)
    }

    /// A `SELECT` of whole rows of an account, which is parameter 1.
    /// - Parameter rest: what else they have to meet, and their order.
    func select(_ rest: String = "") -> ComposedSQL {
        ComposedSQL("SELECT \(list) FROM \(name) WHERE account = ?1 \(rest)")
    }

    func decode(_ row: some EngineStatement) throws -> Noun {
        let revision = row.integer()
        var noun = blank(hasID ? try row.id() : ID(high: 0, low: 0))
        noun.revision = revision
        for column in columns {
            guard column.put(&noun, try row.value(column.kind)) else {
                throw StoreError.corrupt("a row of \(name) with a wrong \(column.name)")
            }
        }
        noun.memberRevisions = try row.memberRevisions(of: noun.revision)
        return noun
    }

    /// Binds all parameters of ``save`` but the account.
    func bind(_ noun: Noun, of account: AccountKey, to statement: some EngineStatement) {
        var row = RowBinding(statement, of: account)
        var index: Int32 = hasID ? 3 : 2
        row.bind(index, noun.revision)
        if hasID { row.bind(2, id(noun)) }
        for column in columns {
            index += 1
            row.bind(index, column.value(noun))
        }
        noun.memberRevisions.withPacked(below: noun.revision) { row.bind(index + 1, copying: $0) }
        statement.bind(index + 2, row.checksum)
    }
}

extension NounTable where Noun: ListedNoun {
    /// - Parameter more: columns beside the members and the times.
    init(_ name: String, more: [Column] = []) {
        let times: [Column] = [
            Column("created_at", .integer, \.createdAt), Column("updated_at", .integer, \.updatedAt),
            Column("deleted_at", .integer, \.deletedAt),
        ]
        self.init(name, Noun.members.map(Column.init) + times + more, hasID: true, id: { $0.id }) {
            Noun(id: $0, createdAt: Timestamp(milliseconds: 0))
        }
    }
}

extension NounTable {
    /// One of a row an account.
    init(_ name: String, blank: @escaping @Sendable () -> Noun) {
        self.init(name, Noun.members.map(Column.init), hasID: false, id: { _ in ID(high: 0, low: 0) }) { _ in blank() }
    }
}

extension EngineStatement {
    fileprivate func value(_ kind: MemberForm.Column) throws -> MemberValue {
        guard !skipNull() else { return .none }
        return switch kind {
        case .text: .text(text())
        case .integer: .integer(integer())
        case .day: .day(Day(number: Int(integer())))
        case .id: .id(try id())
        // The depth was checked when the value was accepted.
        case .json: .json(try JSON(parsing: bytes(), maximumDepth: .max))
        }
    }
}

extension RowBinding {
    fileprivate mutating func bind(_ index: Int32, _ value: MemberValue) {
        switch value {
        case .none: bind(index, nil as String?)
        case .text(let text): bind(index, text)
        case .integer(let integer): bind(index, integer)
        case .day(let day): bind(index, day.number)
        case .id(let id): bind(index, id)
        case .json(let json): bind(index, utf8: json.serialized())
        }
    }
}
