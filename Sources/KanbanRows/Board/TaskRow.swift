import Kanban

/// A task as a row: its columns in the order of every statement that reads one.
enum TaskRow {
    /// Column 0 is the revision, so that the change feed can compare rows before it decodes them.
    static let columns: StaticString = """
        revision, id, status, category_id, due, due_day, position, created_at, updated_at, completed_at, \
        deleted_at, member_revisions, title, body
        """

    static func decode(_ row: some EngineStatement) throws -> TaskItem {
        guard let status = TaskStatus(rawValue: Int(row.integer(2))) else {
            throw StoreError.corrupt("a task of no column")
        }
        let revision = row.integer(0)
        return TaskItem(
            id: try row.id(1), title: row.text(12), body: row.text(13), status: status, categoryID: row.optionalID(3),
            dueDate: dueDate(row), position: Position(text: row.text(6)), createdAt: row.timestamp(7),
            updatedAt: row.timestamp(8), completedAt: row.optionalTimestamp(9), deletedAt: row.optionalTimestamp(10),
            revision: revision, memberRevisions: try row.memberRevisions(11, of: revision))
    }

    private static func dueDate(_ row: some EngineStatement) -> DueDate? {
        guard let due = row.optionalInteger(4) else { return nil }
        if let day = row.optionalInteger(5) { return .day(Day(number: Int(day))) }
        return .instant(Timestamp(milliseconds: due))
    }
}

/// What a list reads of each task.
struct TaskColumns<Statement: EngineStatement, Row> {
    let names: StaticString
    let decode: (Statement) throws -> Row
    /// The id in a row, where one more row costs little; else `nil`.
    var id: ((Row) -> ID)?
}

extension TaskColumns where Row == TaskItem {
    static var whole: Self { Self(names: TaskRow.columns) { try TaskRow.decode($0) } }
}

extension TaskColumns where Row == TaskPlace {
    static var places: Self {
        Self(names: "id, position") { TaskPlace(position: Position(text: $0.text(1)), id: try $0.id(0)) }
    }
}

extension TaskColumns where Row == ID {
    static var ids: Self { Self(names: "id", decode: { try $0.id(0) }, id: { $0 }) }
}

extension EngineStatement {
    func memberRevisions(_ column: Int32, of revision: Revision) throws -> TaskItem.MemberRevisions {
        try withBytes(column) { bytes in
            guard let revisions = TaskItem.MemberRevisions(packed: bytes, below: revision) else {
                throw StoreError.corrupt("a task without the revisions of its members")
            }
            return revisions
        }
    }

    /// Of a column that is NULL as long as no member changed.
    func firstChanges(_ column: Int32, of revision: Revision) throws -> TaskItem.MemberRevisions {
        isNull(column) ? TaskItem.MemberRevisions() : try memberRevisions(column, of: revision)
    }
}

/// In one column: how far each lies below the task's revision, in 7-bit groups with the high bit set on all but the
/// last (LEB128); mostly a byte or two each.
extension TaskItem.MemberRevisions {
    init?(packed bytes: UnsafeRawBufferPointer, below revision: Revision) {
        var offset = 0
        func next() -> Revision? {
            var distance: UInt64 = 0
            var shift: UInt64 = 0
            while offset < bytes.count, shift < 64 {
                let byte = bytes[offset]
                offset += 1
                distance |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return revision &- Int64(bitPattern: distance) }
                shift += 7
            }
            return nil
        }
        guard let title = next(), let body = next(), let status = next(), let categoryID = next(),
            let dueDate = next(), let position = next()
        else { return nil }
        self.init()
        self.title = title
        self.body = body
        self.status = status
        self.categoryID = categoryID
        self.dueDate = dueDate
        self.position = position
    }

    /// Hands out the packed bytes. On the stack, because an array for each would be one of the larger costs of a write.
    func withPacked(below revision: Revision, _ use: (UnsafeRawBufferPointer) -> Void) {
        // Six numbers of at most ten groups.
        withUnsafeTemporaryAllocation(byteCount: 60, alignment: 1) { bytes in
            var count = 0
            func add(_ member: Revision) {
                var distance = UInt64(bitPattern: revision &- member)
                while distance >= 0x80 {
                    bytes[count] = UInt8(truncatingIfNeeded: distance) | 0x80
                    count += 1
                    distance >>= 7
                }
                bytes[count] = UInt8(distance)
                count += 1
            }
            add(title)
            add(body)
            add(status)
            add(categoryID)
            add(dueDate)
            add(position)
            use(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }
}

extension DueDate {
    /// What stands in `due_day`.
    var wholeDay: Int64? {
        guard case .day(let day) = self else { return nil }
        return Int64(day.number)
    }
}
