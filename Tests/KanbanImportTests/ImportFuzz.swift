// libFuzzer target for the readers of other systems' files, compiled into one module with Sources/KanbanImport (see
// Fuzz/run). The first byte chooses the reader, the rest is the file.
// Any bytes: a reader makes tasks or says what is wrong; it makes the same of the same bytes; no row comes from nowhere.
import JSON
import Kanban
import KanbanImport
import TestSupport

#if FUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzImport(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let file = Array(bytes.dropFirst())
    let formats = ForeignFormat.allCases
    // Digits, so that seeds are readable.
    switch Int(first) - Int(UInt8(ascii: "0")) {
    case let number where formats.indices.contains(number): readBoard(formats[number], file)
    case formats.count:
        let users = Result { () throws(UnreadableImport) in try FirebaseUser.read(file) }
        if case .success(let users) = users { check(users.count <= file.count / 2, "more accounts than bytes") }
    case formats.count + 1:
        // Its faults must not repeat the secret that is in the text.
        let text = String(decoding: file, as: UTF8.self)
        if case .failure(let fault) = Result(catching: { () throws(UnreadableImport) in
            try FirebaseHashParameters(text)
        }) {
            check(fault.detail.utf8.allSatisfy { $0 < 0x80 } && fault.detail.utf8.count < 100, fault.detail)
        }
    default: break
    }
    return 0
}

private func readBoard(_ format: ForeignFormat, _ file: [UInt8]) {
    var choices = ImportChoices(zone: .utc, now: Timestamp(milliseconds: 1_795_000_000_000))
    choices.statuses = [Spelling("later"): .doing]
    choices.datesAreDays = file.count % 2 == 0
    let results = (0..<2).map { _ in
        Result { () throws(UnreadableImport) in
            var tasks: [ForeignBoard.Task] = []
            let remarks = try format.read(file, choices) { tasks.append($0) }
            return (tasks: tasks, remarks: remarks)
        }
    }
    switch (results[0], results[1]) {
    case (.success(let board), .success(let again)):
        check(board.tasks.count <= file.count, "more tasks than bytes: \(board.tasks.count)")
        check(board.tasks == again.tasks, "read twice it is another: \(board.tasks)")
        check("\(board.remarks)" == "\(again.remarks)", "read twice the remarks are others: \(board.remarks)")
        check(board.remarks.faults.count <= 100 && board.remarks.notes.count <= 100, "remarks without end")
    case (.failure(let fault), .failure(let other)):
        check(fault.detail == other.detail && !fault.detail.isEmpty, "refused differently: \(fault.detail)")
    default: check(false, "read once and refused once")
    }
}
