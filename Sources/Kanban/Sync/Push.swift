/// Applies the mutations of one request in order: an atomic push in one transaction, any other in several, so that
/// other accounts get their turn in between.
package struct Push {
    /// What earlier transactions of this push did.
    package struct Progress: Sendable {
        /// The results so far, as JSON text.
        package fileprivate(set) var results: [[UInt8]] = []
        /// The revisions of the mutations so far.
        fileprivate var made: [ClosedRange<Revision>] = []
        /// From the id of a category that the client created under a taken name to the category that has the name.
        fileprivate var adopted: [ID: ID] = [:]
        /// Set after the quota undid a transaction: from now on the quota rejects each mutation alone. It takes a
        /// savepoint for each, which other pushes save; see ``Push/perform(_:)``.
        package var rejectsAlone = false
        /// The limit that rejected the last mutation beyond the quota.
        fileprivate var limit: QuotaLimit?
        private var rejectedByQuota = 0

        package init() {}

        /// Set when the quota rejected all mutations, so that nothing was written.
        package var limitOfAll: QuotaLimit? { rejectedByQuota == results.count ? limit : nil }

        /// Not kept: sent again, the mutation is performed.
        fileprivate mutating func reject(_ json: [UInt8], beyond limit: QuotaLimit) {
            results.append(json)
            rejectedByQuota += 1
            self.limit = limit
        }

        /// The rows that the mutations that are left will ask for.
        package func needs(of mutations: [SentMutation], known: Set<ID>, isLong: Bool) -> WriteNeeds {
            let rest = mutations[results.count...]
            var needs = WriteNeeds(isLong: isLong)
            needs.mutations = rest.map(\.id) + known
            for sent in rest {
                guard case .success(let mutation) = sent.mutation else { continue }
                switch mutation.operation {
                case .patchTask, .deleteTask: break
                case .createTask, .putTask, .moveTask, .skipTask, .restoreTask: needs.ends = TaskStatus.allCases
                default: continue
                }
                if let id = mutation.target { needs.tasks.append(id) }
                needs.tasks += sent.references.lazy.filter { $0.kind == .neighbour }.map(\.id)
            }
            return needs
        }
    }

    package private(set) var progress: Progress
    private let writer: any BoardWriter
    private let encode: (ID, MutationResult) -> [UInt8]
    private var own: OwnRevisions
    /// True if some of the mutations may have been applied before.
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

    /// Applies the remaining mutations: all of them, or in a push that is not atomic as many as the time allows.
    /// - Parameter mutations: those of the whole request.
    package mutating func apply(_ mutations: [SentMutation], isAtomic: Bool) throws {
        let rest = mutations[progress.results.count...]
        mayRepeat = try mayRepeat(rest.map(\.id))
        guard isAtomic else { return try applyInTurn(rest) }
        do {
            progress.results = try writer.nested { try rest.enumerated().map { try applyOrUndoAll($1, at: $0) } }
        } catch let undone as FailedMutation {
            progress.results = try rest.enumerated().map { index, sent in
                if index == undone.index { return undone.json }
                // A repeated mutation was applied before and stays applied.
                let first = try known(sent)
                return first?.json ?? encode(sent.id, .rolledBack)
            }
        }
    }

    private mutating func applyInTurn(_ rest: ArraySlice<SentMutation>) throws {
        let before = try writer.feedState().revision
        for sent in rest {
            do {
                progress.results.append(
                    try progress.rejectsAlone ? writer.nested { try apply(sent).json } : apply(sent).json)
            } catch StoreError.quotaExceeded(let limit) where progress.rejectsAlone {
                progress.reject(encode(sent.id, .beyondQuota(limit)), beyond: limit)
            }
            if writer.shouldYield { break }
        }
        let after = try writer.feedState().revision
        if after > before { progress.made.append(before + 1...after) }
    }

    /// Ids of version 7 are close to each other, and between them there was nothing before: one look-up serves all.
    private func mayRepeat(_ ids: [ID]) throws -> Bool {
        guard let first = ids.min(), let last = ids.max() else { return false }
        return try Set(ids).count < ids.count || writer.mayHaveKeptMutations(in: first...last)
    }

    private mutating func applyOrUndoAll(_ sent: SentMutation, at index: Int) throws -> [UInt8] {
        let result = try apply(sent)
        if result.line.isFailure { throw FailedMutation(index: index, json: result.json) }
        return result.json
    }

    private mutating func apply(_ sent: SentMutation) throws -> EncodedResult {
        if let first = try known(sent) {
            if let revisions = first.line.revisions { own.add(revisions) }
            adopt(first.line, insteadOf: sent)
            return first
        }
        if let error = try faultOfBase(of: sent) {
            // Not kept: the client sends it again under the same id, without `baseRevision`.
            return EncodedResult(json: encode(sent.id, .rejected(error)), line: KeptLine(isFailure: true))
        }
        let (result, revisions) = try perform(sent)
        let line = KeptLine(
            isFailure: result.isFailure, revisions: revisions, adopted: sent.adopted(by: result))
        let encoded = EncodedResult(json: encode(sent.id, result), line: line)
        // What failed after a mutation beyond the quota may only need that one: sent again, it is performed again.
        if !line.isFailure || progress.limit == nil {
            try writer.keep(KeptMutation(fingerprint: sent.fingerprint, result: encoded.kept), id: sent.id)
        }
        adopt(line, insteadOf: sent)
        return encoded
    }

    /// In the rest of the request, the id of the adopted category replaces the one that the client sent.
    private mutating func adopt(_ line: KeptLine, insteadOf sent: SentMutation) {
        guard case .success(let mutation) = sent.mutation, case .createCategory = mutation.operation,
            let id = mutation.target
        else { return }
        progress.adopted[id] = line.adopted
    }

    /// The result of a mutation that was sent before under the same id; `nil` for a new one.
    private func known(_ sent: SentMutation) throws -> EncodedResult? {
        guard mayRepeat, let kept = try writer.keptMutation(sent.id) else { return nil }
        return kept.fingerprint == sent.fingerprint
            ? EncodedResult(kept)
            : EncodedResult(json: encode(sent.id, .idReused), line: KeptLine(isFailure: true))
    }

    /// The fault of a `baseRevision` that is newer than the board, as after a restore of an older backup.
    private func faultOfBase(of sent: SentMutation) throws -> BoardError? {
        guard case .success(let mutation) = sent.mutation, let base = mutation.base else { return nil }
        let newest = try writer.feedState().revision
        guard base > newest else { return nil }
        let error = BoardError.invalid(
            "\(sent.pointer)/baseRevision", .invalidValue,
            "baseRevision is from another history: the newest revision is \(newest).")
        return try withFaultsOfBoard(error, sent)
    }

    private func perform(_ sent: SentMutation) throws -> (MutationResult, revisions: ClosedRange<Revision>?) {
        let before = try writer.feedState().revision
        let mutation: Mutation
        switch sent.mutation {
        case .success(let read): mutation = read.replacing(categories: progress.adopted)
        case .failure(let error): return (.rejected(try withFaultsOfBoard(error, sent)), nil)
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

    /// Rules check before they write, so a refused mutation has written nothing and needs no savepoint: in a
    /// transaction of hundreds of pages, savepoints cost as much as all the rest. If a rule broke this law, the whole
    /// request would fail and leave nothing.
    private func perform(_ mutation: Mutation) throws -> MutationOutcome {
        let before = try writer.feedState().revision
        do {
            return try writer.perform(mutation, own: own)
        } catch let error as BoardError {
            // Every write of a board takes a revision.
            guard try writer.feedState().revision == before else { throw RefusedAfterWrite(cause: error) }
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

/// A rule refused a mutation after it had written: a bug.
private struct RefusedAfterWrite: Error {
    var cause: BoardError
}

/// A mutation of an atomic request failed.
private struct FailedMutation: Error {
    var index: Int
    var json: [UInt8]
}

/// The result of a mutation as JSON text, with what is kept for repeats.
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

    var kept: [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(KeptLine.mostBytes + json.count)
        line.write(to: &kept)
        kept.append(UInt8(ascii: "\n"))
        kept += json
        return kept
    }
}

/// The first line of a kept result: `done 41 42`. The result follows.
private struct KeptLine {
    /// Rejected, or a conflict.
    var isFailure: Bool
    /// The revisions that the mutation made.
    var revisions: ClosedRange<Revision>?
    /// The existing category that had the name of the new one.
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

    /// A word, two numbers and an id, and what lies between them.
    static let mostBytes = 6 + 2 * 21 + 1 + ID.textLength

    /// Not as one text: to put it together takes six times as long.
    func write(to bytes: inout [UInt8]) {
        bytes += (isFailure ? "failed" : "done").utf8
        func add(_ word: String) {
            bytes.append(UInt8(ascii: " "))
            bytes += word.utf8
        }
        if let revisions {
            add(String(revisions.lowerBound))
            add(String(revisions.upperBound))
        }
        if let adopted { add(adopted.description) }
    }
}
