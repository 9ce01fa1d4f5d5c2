import Crypto
import HTTP
import Kanban
import Locks

/// The keys of running requests: a concurrent repeat is asked to wait.
package final class RunningKeys: Sendable {
    private struct Key: Hashable {
        let account: AccountKey
        let text: String
    }

    private let keys = Locked<Set<Key>>([])

    package init() {}

    /// False when the key is running already.
    func begin(_ account: AccountKey, _ key: String) -> Bool {
        keys.withLock { $0.insert(Key(account: account, text: key)).inserted }
    }

    func end(_ account: AccountKey, _ key: String) {
        keys.withLock { _ = $0.remove(Key(account: account, text: key)) }
    }
}

extension Call {
    /// The body of a write: changes the board and returns what the answer needs.
    package typealias Change<Outcome> = @Sendable (any Board) throws -> Outcome

    /// Runs a change that makes its own answer, or is ``Undone`` with it; see ``write(_:isLong:committed:_:)``.
    package func write(
        isLong: Bool = false, _ prepare: () async throws -> Change<Response>
    ) async throws -> Response {
        do {
            return try await write({ $0 }, isLong: isLong, prepare)
        } catch let undone as Undone<Response> {
            return undone.outcome
        }
    }

    /// Runs a change and answers when it is on disk.
    ///
    /// `prepare` reads the request. Its errors are answered like those of the change. With an `Idempotency-Key`, the
    /// answer is kept in the transaction of the change and given again to a repeat. Answers of more than
    /// ``KeptAnswer/mostBytes`` are not kept, to save disk.
    ///
    /// - Parameters:
    ///   - answer: makes the answer on the loop if there is no key: on the writer's thread it would be a tenth of the
    ///     time of a creation, and all writes wait for that thread.
    ///   - isLong: true if the write may take as long as dozens of others.
    ///   - committed: called when the change is on disk, if there is no key.
    package func write<Outcome: Sendable>(
        _ answer: @escaping @Sendable (Outcome) -> Response,
        isLong: Bool = false,
        committed: (Outcome, Response) -> Void = { _, _ in },
        _ prepare: () async throws -> Change<Outcome>
    ) async throws -> Response {
        guard request.method == .post || request.method == .patch, request.headers.has("idempotency-key") else {
            let change = try await prepare()
            guard caller.endings == nil else {
                let answered: Change<Response> = { board in try bound(answer(try change(board)), in: board) }
                return try await store.write(
                    account, session: caller.session, needs: needs(isLong: isLong), answered)
            }
            let outcome = try await store.write(
                account, session: caller.session, needs: needs(isLong: isLong), change)
            let response = answer(outcome)
            committed(outcome, response)
            return response
        }
        return try await writeOnce(answer, isLong: isLong, prepare)
    }

    /// The same with an `Idempotency-Key`. Not inlined: its state would be allocated for every write.
    @inline(never)
    private func writeOnce<Outcome: Sendable>(
        _ answer: @escaping @Sendable (Outcome) -> Response, isLong: Bool,
        _ prepare: () async throws -> Change<Outcome>
    ) async throws -> Response {
        let key = try idempotencyKey()
        guard environment.runningKeys.begin(account, key) else {
            throw Problem(.idempotencyKeyInUse, headers: [("Retry-After", "1")])
        }
        defer { environment.runningKeys.end(account, key) }
        let kept = AnswerOnce(key: key, request)
        let needs = needs(answerKey: key, isLong: isLong)
        func write(_ make: @escaping Change<Response>) async throws -> Response {
            let once: Change<Response> = { board in try bound(kept.answer(in: board, make), in: board) }
            return try await store.write(account, session: caller.session, needs: needs, once)
        }
        let undone: Response
        do {
            let change = try await prepare()
            return try await write { answer(try change($0)) }
        } catch let error as Undone<Response> {
            undone = error.outcome
        } catch {
            let problem = Problem(error)
            guard problem.status < 500 else { throw error }
            undone = problem.response(requestID: requestID)
        }
        // The change was undone as a whole, and its answer is kept all the same.
        return try await write { _ in undone }
    }

    /// Without a version check before the write, the transaction binds the tag to the account's epoch.
    private func bound(_ answer: Response, in board: any Board) throws -> Response {
        guard caller.endings != nil, answer.tag != nil else { return answer }
        return answer.scoped(to: EntityTag.Scope(account, epoch: try board.feedState().epoch))
    }

    /// What the request tells of the rows that a write will ask for.
    private func needs(answerKey: String? = nil, isLong: Bool) -> WriteNeeds {
        var needs = WriteNeeds(isLong: isLong)
        needs.answerKey = answerKey
        needs.endings = caller.endings
        guard request.path.hasPrefix("/tasks") else { return needs }
        if let id = request.parameters.bytes("id").flatMap({ ID(ascii: $0) }) { needs.tasks = [id] }
        if needs.tasks.isEmpty || request.method == .put { needs.ends = [.todo] }
        return needs
    }

    /// - Throws: a 400 problem unless it is 1–255 visible ASCII characters, given once.
    private func idempotencyKey() throws -> String {
        let keys = request.headers.values("idempotency-key")
        guard keys.count == 1, let key = keys.first, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw Problem(.invalidIdempotencyKey) }
        return key
    }
}

extension Call {
    /// Runs a change that is idempotent in itself. An `Idempotency-Key` must be valid; nothing is kept under it.
    func writeRepeatably<Outcome: Sendable>(
        needs: @autoclosure () -> WriteNeeds, _ change: @escaping Change<Outcome>
    ) async throws -> Outcome {
        if request.headers.has("idempotency-key") { _ = try idempotencyKey() }
        var comparing: WriteNeeds {
            var needs = needs()
            needs.endings = caller.endings
            return needs
        }
        return try await store.write(account, session: caller.session, needs: comparing, change)
    }
}

/// The answer to all requests with a key.
private struct AnswerOnce: Sendable {
    private let key: String
    /// Of the request, without which the key was used for another one.
    private let fingerprint: [UInt8]

    init(key: String, _ request: Request) {
        self.key = key
        var hash = SHA256()
        hash.update(Array("\(request.method.rawValue) \(request.target)\n".utf8))
        hash.update(request.body)
        fingerprint = hash.finish()
    }

    /// The answer that was kept, or the one that is made and kept now.
    func answer(in board: any Board, _ make: (any Board) throws -> Response) throws -> Response {
        if let kept = try board.keptAnswer(key: key) {
            guard kept.fingerprint == fingerprint else {
                throw Problem("#", .idempotencyKeyReused, Fault.Code.idempotencyKeyReused.advice)
            }
            return Response(replaying: kept)
        }
        let answer = try make(board)
        guard case .bytes(let body) = answer.body, body.count <= KeptAnswer.mostBytes, answer.status != 401,
            answer.status != 429
        else { return answer }
        let headers = answer.fields.map { KeptAnswer.Header(name: $0.name, value: $0.value) }
        try board.keep(
            KeptAnswer(fingerprint: fingerprint, status: answer.status, headers: headers, body: body), key: key)
        return answer
    }
}

extension Response {
    /// A problem was kept with the id of the first request. The answer has the id of the repeat, like its line in the log.
    fileprivate init(replaying kept: KeptAnswer) {
        let fields = kept.headers.filter { $0.name != "X-Request-Id" }
        self.init(status: kept.status, fields: fields.map { ($0.name, $0.value) }, body: .bytes(kept.body))
        headers.append(("Idempotency-Replayed", "true"))
    }
}
