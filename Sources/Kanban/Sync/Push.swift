/// The mutations of one request, applied in order: an atomic push inside one transaction, any other in as many as it takes
/// to let other accounts have their turn.
package struct Push {
    /// How far the transactions before this one came.
    package struct Progress: Sendable {
        /// Of the mutations so far, as JSON text.
        package fileprivate(set) var results: [[UInt8]] = []
        /// The revisions that the mutations so far made.
        fileprivate var made: [ClosedRange<Revision>] = []
        /// By the id of a category that the client made under a taken name: the category that has the name.
        fileprivate var adopted: [ID: ID] = [:]

        package init() {}
    }

    package private(set) var progress: Progress
    private let writer: any BoardWriter
    private let encode: (ID, MutationResult) -> [UInt8]
    private var own: OwnRevisions
    /// Some of the mutations may have been applied before.
    private var mayRepeat = true

    /// - Parameters:
    ///   - known: earlier mutations of the client, whose results it has. Those that are not kept are ignored.
    ///   - encode: writes the result of a mutation as JSON text.
    fileprivate init(
        _ writer: any BoardWriter, known: Set<ID>, after progress: Progress,
        encode: @escaping (ID, MutationResult) -> [UInt8]
    ) throws {
        self.progress = progress
        self.writer = writer
        self.encode = encode
        own = OwnRevisions(after: try writer.feedState().revision)
        for id in known {
            if let kept = try writer.keptMutation(id), let revisions = KeptLine(kept).revisions { own.add(revisions) }
        }
        for revisions in progress.made { own.add(revisions) }
    }

    /// Applies what is left: all of it, or in a push that is not atomic as much as there is time for.
    /// - Parameter mutations: of the whole request.
    package mutating func apply(_ mutations: [SentMutation], isAtomic: Bool) throws {
        let rest = mutations[progress.results.count...]
        mayRepeat = try mayRepeat(rest.map(\.id))
        guard isAtomic else { return try applyInTurn(rest) }
        do {
            progress.results = try writer.nested { try rest.enumerated().map { try applyOrUndoAll($1, at: $0) } }
        } catch let undone as Undone {
            progress.results = try rest.enumerated().map { index, sent in
                if index == undone.index { return undone.json }
                // A repeat was applied before, and still is.
                let first = try known(sent)
                return first?.json ?? encode(sent.id, .rolledBack)
            }
        }
    }

    private mutating func applyInTurn(_ rest: ArraySlice<SentMutation>) throws {
        let before = try writer.feedState().revision
        for sent in rest {
            progress.results.append(try apply(sent).json)
            if writer.mustGiveWay { break }
        }
        let after = try writer.feedState().revision
        if after > before { progress.made.append(before + 1...after) }
    }

    /// Clients that make ids of version 7 send a stretch of them in which there was nothing before: one look instead of
    /// one for each.
    private func mayRepeat(_ ids: [ID]) throws -> Bool {
        guard let first = ids.min(), let last = ids.max() else { return false }
        return try Set(ids).count < ids.count || writer.mayHaveKeptMutations(in: first...last)
    }

    private mutating func applyOrUndoAll(_ sent: SentMutation, at index: Int) throws -> [UInt8] {
        let result = try apply(sent)
        if result.line.isFailure { throw Undone(index: index, json: result.json) }
        return result.json
    }

    private mutating func apply(_ sent: SentMutation) throws -> EncodedResult {
        if let first = try known(sent) {
            if let revisions = first.line.revisions { own.add(revisions) }
            adopt(first.line, insteadOf: sent)
            return first
        }
        let (result, revisions) = try perform(sent)
        let line = KeptLine(
            isFailure: result.isFailure, revisions: revisions, adopted: sent.adopted(by: result))
        let encoded = EncodedResult(json: encode(sent.id, result), line: line)
        adopt(line, insteadOf: sent)
        try writer.keep(KeptMutation(fingerprint: sent.fingerprint, result: encoded.kept), id: sent.id)
        return encoded
    }

    /// In the rest of the request the id of the adopted category stands for the one that was sent.
    private mutating func adopt(_ line: KeptLine, insteadOf sent: SentMutation) {
        guard case .success(let mutation) = sent.mutation, case .createCategory = mutation.operation,
            let id = mutation.target
        else { return }
        progress.adopted[id] = line.adopted
    }

    /// The result of what was sent before under the same id; `nil` for what is new.
    private func known(_ sent: SentMutation) throws -> EncodedResult? {
        guard mayRepeat, let kept = try writer.keptMutation(sent.id) else { return nil }
        return kept.fingerprint == sent.fingerprint
            ? EncodedResult(kept)
            : EncodedResult(json: encode(sent.id, .idReused), line: KeptLine(isFailure: true))
    }

    private func perform(_ sent: SentMutation) throws -> (MutationResult, revisions: ClosedRange<Revision>?) {
        let before = try writer.feedState().revision
        let mutation: Mutation
        switch sent.mutation {
        case .success(let read): mutation = read.replacing(categories: progress.adopted)
        case .failure(let error): return (.rejected(try withFaultsOfBoard(error, sent)), nil)
        }
        if let base = mutation.base, base > before {
            let error = BoardError.invalid(
                "\(sent.pointer)/baseRevision", .invalidValue,
                "baseRevision is from another history: the newest revision is \(before).")
            return (.rejected(try withFaultsOfBoard(error, sent)), nil)
        }
        do {
            let outcome = try perform(mutation)
            let after = try writer.feedState().revision
            return (.done(outcome), after > before ? before + 1...after : nil)
        } catch let error as BoardError {
            return (.rejected(error), nil)
        }
    }

    /// Beside the faults of the form, list those that only the board can tell.
    private func withFaultsOfBoard(_ error: BoardError, _ sent: SentMutation) throws -> BoardError {
        guard case .invalid(let faults) = error else { return error }
        return .invalid(
            try faults
                + writer.faults(
                    of: sent.references.map { $0.replacing(categories: progress.adopted) }, from: sent.target,
                    besides: faults))
    }

    /// Rules check before they write, so a mutation that is refused has written nothing, and needs no savepoint of its
    /// own: in a transaction of hundreds of pages those cost as much as all the rest. A rule that broke this would fail
    /// the whole request, which then leaves nothing either.
    private func perform(_ mutation: Mutation) throws -> MutationOutcome {
        let before = try writer.feedState().revision
        do {
            return try writer.perform(mutation, own: own)
        } catch let error as BoardError {
            // Nothing of a board is written without a revision.
            guard try writer.feedState().revision == before else { throw WroteInVain(cause: error) }
            throw error
        }
    }
}

extension BoardWriter {
    /// A push of offline edits, after those of earlier transactions.
    package func push(
        known: Set<ID>, after progress: Push.Progress, encode: @escaping (ID, MutationResult) -> [UInt8]
    ) throws -> Push {
        try Push(self, known: known, after: progress, encode: encode)
    }
}

/// A rule refused a mutation after it had written: a fault of the program.
private struct WroteInVain: Error {
    var cause: BoardError
}

/// A mutation of an atomic request failed.
private struct Undone: Error {
    var index: Int
    var json: [UInt8]
}

/// The result of a mutation as JSON text, and what of it is kept for repeats.
private struct EncodedResult {
    let json: [UInt8]
    let line: KeptLine

    init(json: [UInt8], line: KeptLine) {
        self.json = json
        self.line = line
    }

    init(_ kept: KeptMutation) {
        line = KeptLine(kept)
        json = Array(kept.result.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }

    var kept: [UInt8] { Array("\(line.text)\n".utf8) + json }
}

/// The first line of what is kept: `done 41 42`, then the result.
private struct KeptLine {
    /// Rejected, or a conflict.
    var isFailure: Bool
    /// Those that it made.
    var revisions: ClosedRange<Revision>?
    /// The category that had the name already under which one was to be made.
    var adopted: ID?

    init(isFailure: Bool, revisions: ClosedRange<Revision>? = nil, adopted: ID? = nil) {
        self.isFailure = isFailure
        self.revisions = revisions
        self.adopted = adopted
    }

    init(_ kept: KeptMutation) {
        let line = kept.result.prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        isFailure = words.first == "failed"
        let numbers = words.dropFirst().compactMap { Revision($0) }
        revisions = numbers.count == 2 && numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : nil
        adopted = words.dropFirst().compactMap { ID(String($0)) }.first
    }

    var text: String {
        let made = revisions.map { " \($0.lowerBound) \($0.upperBound)" } ?? ""
        return "\(isFailure ? "failed" : "done")\(made)\(adopted.map { " \($0)" } ?? "")"
    }
}
