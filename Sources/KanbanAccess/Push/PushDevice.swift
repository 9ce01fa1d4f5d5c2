import Kanban

/// A device that the server notifies of reminders. It goes when its session is ended, and stays when that is merely unused.
package struct PushDevice: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case apns(APNsTarget)
        case webPush(WebPushTarget)
    }

    /// Chosen by the device.
    package var id: ID
    package var account: AccountKey
    /// `nil` in open mode.
    package var session: ID?
    package var target: Target
    /// The language of its notifications.
    package var locale: Language?
    package var createdAt: Timestamp
    package var lastSuccessAt: Timestamp?
    package var lastFailure: Failure?
    /// Gets nothing until it registers again.
    package var isPaused = false
    package var plan: PushPlan?
    package var wake = PushWake()

    package struct Failure: Hashable, Sendable {
        package var at: Timestamp
        /// In words that name no token and no address.
        package var reason: String
    }

    /// The most of an account.
    package static let most = 20

    package init(
        id: ID, account: AccountKey, session: ID?, target: Target, locale: Language?, createdAt: Timestamp
    ) {
        self.id = id
        self.account = account
        self.session = session
        self.target = target
        self.locale = locale
        self.createdAt = createdAt
    }
}

/// An app on a device of Apple's.
package struct APNsTarget: Hashable, Sendable {
    /// In hexadecimal digits.
    package var token: String
    /// The bundle id of the app.
    package var topic: String
    package var environment: Environment

    package enum Environment: String, Sendable, CaseIterable {
        case production
        case sandbox

        var other: Environment { self == .production ? .sandbox : .production }
    }

    package init(token: String, topic: String, environment: Environment) {
        self.token = token
        self.topic = topic
        self.environment = environment
    }
}

/// A subscription of a browser (RFC 8030).
package struct WebPushTarget: Hashable, Sendable {
    /// A secret: every program that knows this address can notify the device.
    package var endpoint: String
    /// The browser's public key, and its secret (RFC 8291 §3).
    package var key: [UInt8]
    package var secret: [UInt8]

    package init(endpoint: String, key: [UInt8], secret: [UInt8]) {
        self.endpoint = endpoint
        self.key = key
        self.secret = secret
    }
}

/// What a device has scheduled as notifications of its own.
package struct PushPlan: Hashable, Sendable {
    /// Of the account's history that the device had read.
    package var epoch: UInt64
    package var revision: Revision
    /// When the device scheduled them: it cannot show what was due by then and it had not scheduled before. `nil` when it did not
    /// say.
    package var start: Timestamp?
    /// The first reminder that was too many; `nil` when there was none.
    package var end: Timestamp?

    /// - Parameters:
    ///   - cursor: how far the device had read.
    ///   - start: see ``start``. A device that tells it also tells the end, which only it knows: the board may have changed since
    ///     it read it.
    package init(
        _ cursor: Cursor, from start: Timestamp? = nil, until end: Timestamp? = nil, _ reader: any BoardReader,
        at moment: Moment
    ) throws {
        var end = end
        if start == nil {
            let settings = try reader.settings()
            let coming = try Upcoming(
                reader, at: moment, limit: Upcoming.mostScheduled + 1, allDayTime: settings.allDayAlarm)
            let first = coming.items.count > Upcoming.mostScheduled ? coming.items.last?.fireAt : nil
            end = [end, first].compactMap(\.self).min()
        }
        self.init(epoch: cursor.epoch, revision: cursor.revision, start: start, end: end)
    }

    init(epoch: UInt64, revision: Revision, start: Timestamp?, end: Timestamp?) {
        self.epoch = epoch
        self.revision = revision
        self.start = start
        self.end = end
    }

    /// True if the device itself shows the reminder.
    /// - Parameter settings: they move the instants of reminders.
    func covers(_ item: Upcoming.Item, settings: Settings, feed: FeedState) -> Bool {
        epoch == feed.epoch && revision >= max(item.task.revision, settings.revision)
            && start.map { item.fireAt > $0 } ?? true && end.map { item.fireAt < $0 } ?? true
    }
}
