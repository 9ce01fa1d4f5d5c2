/// The events that the machine gets, and the actions that it returns.
extension SyncMachine {
    enum Request: Hashable, Sendable {
        /// Send the outbox, at most `most` mutations; the answer brings changes.
        case push(most: Int)
        /// Read a page of changes.
        case pull
        /// Read a page of changes by long polling, where streams do not work.
        case poll
    }

    enum Event: Hashable, Sendable {
        case started
        case paused
        /// The outbox has edits to send, or has none.
        case outbox(hasUnsent: Bool)
        /// A call of `syncNow` waits for the goal.
        case asked(id: Int, SyncGoal)
        /// That call timed out or was cancelled.
        case gaveUp(id: Int)
        /// The request was answered, and the answer is on disk.
        case answered(hasMore: Bool, hasUnsent: Bool)
        /// A push was answered, and more edits wait behind it.
        case answeredPart
        case failed(Failure)
        /// The account has no room for some of the edits, which are kept back. The answer itself comes as an event of its own.
        case full(Failure.Problem)
        /// The stream has caught up.
        case streamReady
        /// The stream ended, and its changes are on disk. The time is since it caught up, or else since it was opened.
        case streamEnded(Failure?, after: Duration)
        /// The wait is over.
        case waited
        /// The network may be back, or another one has taken its place.
        case pathChanged
        /// The request has had no answer for a while, and the app wants one: it is sent again.
        case stalled
        /// Another account, or none, is shown: the machine starts over.
        case switched(hasCursor: Bool, hasUnsent: Bool)
        /// The file was damaged, and a new one has the edits that could be read and nothing else.
        case replaced
        /// The stream reported a deletion, and only a request says what was deleted.
        case trashWanted
    }

    enum Action: Hashable, Sendable {
        case send(Request)
        case openStream
        case closeStream
        case cancelRequest
        /// Wait a random time up to this.
        case wait(upTo: Duration)
        /// Wait exactly this long.
        case waitFor(Duration)
        case stopWaiting
        /// The edits that were kept back are to be sent again.
        case release
        /// The server does not know the cursor: forget it and load everything again.
        case startOver
        /// The only mutation of the request cannot be sent at all.
        case refuseFirst(Failure.Problem)
        case show(Phase)
        /// Calls of `syncNow` whose goal is reached.
        case finish([Int])
        case fail([Int], Failure)
    }

    enum Phase: Hashable, Sendable {
        case idle, loading, syncing, live, offline, loggedOut
        case waiting(Failure)
        case stopped(Failure.Problem)
    }
}
