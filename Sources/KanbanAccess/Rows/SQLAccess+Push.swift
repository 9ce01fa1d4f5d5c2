import Kanban
import KanbanRows

private enum DeviceRow {
    static let columns = """
        id, account, session, kind, target, topic, environment, p256dh, auth, locale, created_at, last_success_at, \
        failed_at, failure, paused, plan_epoch, plan_revision, plan_start, plan_end, wake_at, woken_at, woken_revision
        """
    static let ofAccount = ComposedSQL("SELECT \(columns) FROM devices WHERE account = ?1 ORDER BY created_at, id")
    static let byID = ComposedSQL("SELECT \(columns) FROM devices WHERE account = ?1 AND id = ?2")
    static let toWake = ComposedSQL("SELECT \(columns) FROM devices WHERE wake_at <= ?1 ORDER BY wake_at LIMIT ?2")
}

/// Devices, the queue of notifications, and how far reminders were queued.
extension SQLAccess {
    package func devices(of account: AccountKey) throws -> [PushDevice] {
        try connection.statement(DeviceRow.ofAccount).bound(to: account).all(readDevice)
    }

    package func device(_ id: ID, of account: AccountKey) throws -> PushDevice? {
        let statement = try connection.statement(DeviceRow.byID)
        statement.bind(1, account.number)
        statement.bind(2, id)
        return try statement.first(readDevice)
    }

    private func readDevice(_ row: Database.Statement) throws -> PushDevice {
        let (id, account, session) = (try row.id(), AccountKey(number: row.integer()), row.optionalID())
        let (kind, address, topic) = (row.text(), row.text(), row.text())
        let (environment, key, secret) = (row.text(), row.bytes(), row.bytes())
        let target: PushDevice.Target
        if kind == "apns" {
            guard let environment = APNsTarget.Environment(rawValue: environment) else {
                throw connection.damaged("the environment of a device")
            }
            target = .apns(APNsTarget(token: address, topic: topic, environment: environment))
        } else {
            target = .webPush(WebPushTarget(endpoint: address, key: key, secret: secret))
        }
        var device = PushDevice(
            id: id, account: account, session: session, target: target,
            locale: row.optionalText().flatMap(Language.init(rawValue:)), createdAt: row.timestamp())
        device.lastSuccessAt = row.optionalTimestamp()
        let (failedAt, failure) = (row.optionalTimestamp(), row.text())
        device.lastFailure = failedAt.map { .init(at: $0, reason: failure) }
        device.isPaused = row.integer() != 0
        let (epoch, revision) = (row.optionalInteger(), row.integer())
        let (start, end) = (row.optionalTimestamp(), row.optionalTimestamp())
        device.plan = epoch.map {
            PushPlan(epoch: UInt64(bitPattern: $0), revision: revision, start: start, end: end)
        }
        device.wake = PushWake(
            dueAt: row.optionalTimestamp(), sentAt: row.optionalTimestamp(), revision: row.integer())
        return device
    }

    package func devicesToWake(at now: Timestamp, limit: Int) throws -> [PushDevice] {
        let statement = try connection.statement(DeviceRow.toWake)
        statement.bind(1, now)
        statement.bind(2, limit)
        return try statement.all(readDevice)
    }

    package func pushes(dueAt now: Timestamp, limit: Int) throws -> [PushJob] {
        let statement = try connection.statement(
            """
            SELECT number, account, device, kind, task_id, reminder, fire_at, created_at, attempts FROM pushes
            WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2
            """)
        statement.bind(1, now)
        statement.bind(2, limit)
        return try statement.all { row in
            let (number, account, device) = (row.integer(), AccountKey(number: row.integer()), try row.id())
            let (kind, task, reminder, fireAt) = (row.text(), row.optionalID(), row.text(), row.timestamp())
            let cause: PushJob.Cause
            switch kind {
            case "test": cause = .test
            case "wake": cause = .wake
            default:
                guard let task, let trigger = Trigger(reminder) else {
                    throw connection.damaged("the reminder of a notification")
                }
                cause = .reminder(task: task, Alarm(trigger: trigger, fireAt: fireAt))
            }
            return PushJob(
                number: number, account: account, device: device, cause: cause, createdAt: row.timestamp(),
                attempts: Int(row.integer()))
        }
    }

    package func nextPushDue() throws -> Timestamp? {
        try connection.statement("SELECT due_at FROM pushes ORDER BY due_at LIMIT 1").first { $0.timestamp() }
    }

    package func pushCount() throws -> Int {
        try connection.statement("SELECT count(*) FROM pushes").count()
    }

    package func pushCount(of account: AccountKey) throws -> Int {
        try connection.statement("SELECT count(*) FROM pushes WHERE account = ?1").bound(to: account).count()
    }

    package func schedule(of account: AccountKey) throws -> ReminderSchedule? {
        try connection.statement(
            "SELECT account, revision, fired_at, fired_id, next_at FROM reminder_schedules WHERE account = ?1"
        ).bound(to: account).first(readSchedule)
    }

    package func lastWrite(of account: AccountKey) throws -> Timestamp? {
        try connection.statement("SELECT written_at FROM accounts WHERE number = ?1").bound(to: account)
            .first { $0.timestamp() }
    }

    package func schedules(dueAt now: Timestamp, after last: AccountKey?, limit: Int) throws -> [ReminderSchedule] {
        let statement = try connection.statement(
            """
            SELECT s.account, s.revision, s.fired_at, s.fired_id, s.next_at
            FROM reminder_schedules s JOIN accounts a ON a.number = s.account
            WHERE s.account > ?1 AND (s.next_at <= ?2 OR s.fired_at > ?4 OR a.revision <> s.revision)
            ORDER BY s.account LIMIT ?3
            """)
        statement.bind(1, last?.number ?? 0)
        statement.bind(2, now)
        statement.bind(3, limit)
        statement.bind(4, now.adding(milliseconds: ReminderSchedule.mostAhead))
        return try statement.all(readSchedule)
    }

    private func readSchedule(_ row: Database.Statement) -> ReminderSchedule {
        ReminderSchedule(
            account: AccountKey(number: row.integer()), revision: row.integer(), firedAt: row.timestamp(),
            firedID: row.text(), nextAt: row.optionalTimestamp())
    }

    package func serverKey(_ name: String) throws -> ServerKey? {
        let statement = try connection.statement("SELECT value, made_at FROM server_keys WHERE name = ?1")
        statement.bind(1, name)
        return try statement.first { ServerKey(name: name, value: $0.bytes(), madeAt: $0.timestamp()) }
    }
}

extension SQLAccessWriter {
    package func save(_ device: PushDevice) throws {
        let statement = try connection.statement(
            """
            INSERT INTO devices (account, id, session, kind, target, topic, environment, p256dh, auth, locale, created_at,
                last_success_at, failed_at, failure, paused, plan_epoch, plan_revision, plan_end, plan_start, wake_at,
                woken_at, woken_revision)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
            ON CONFLICT (account, id) DO UPDATE SET session = excluded.session, kind = excluded.kind,
                target = excluded.target, topic = excluded.topic, environment = excluded.environment,
                p256dh = excluded.p256dh, auth = excluded.auth, locale = excluded.locale,
                last_success_at = excluded.last_success_at, failed_at = excluded.failed_at, failure = excluded.failure,
                paused = excluded.paused, plan_epoch = excluded.plan_epoch, plan_revision = excluded.plan_revision,
                plan_end = excluded.plan_end, plan_start = excluded.plan_start, wake_at = excluded.wake_at,
                woken_at = excluded.woken_at, woken_revision = excluded.woken_revision
            """)
        statement.bind(1, device.account.number)
        statement.bind(2, device.id)
        statement.bind(3, device.session)
        switch device.target {
        case .apns(let target):
            statement.bind(4, "apns")
            statement.bind(5, target.token)
            statement.bind(6, target.topic)
            statement.bind(7, target.environment.rawValue)
            statement.bindNull(8)
            statement.bindNull(9)
        case .webPush(let target):
            statement.bind(4, "webpush")
            statement.bind(5, target.endpoint)
            statement.bindNull(6)
            statement.bindNull(7)
            statement.bind(8, target.key)
            statement.bind(9, target.secret)
        }
        statement.bind(10, device.locale?.rawValue)
        statement.bind(11, device.createdAt)
        statement.bind(12, device.lastSuccessAt)
        statement.bind(13, device.lastFailure?.at)
        statement.bind(14, device.lastFailure?.reason)
        statement.bind(15, device.isPaused ? 1 : 0)
        statement.bind(16, device.plan.map { Int64(bitPattern: $0.epoch) })
        statement.bind(17, device.plan?.revision)
        statement.bind(18, device.plan?.end)
        statement.bind(19, device.plan?.start)
        statement.bind(20, device.wake.dueAt)
        statement.bind(21, device.wake.sentAt)
        statement.bind(22, device.wake.revision)
        try statement.run()
    }

    package func removeDevice(_ id: ID, of account: AccountKey) throws -> Bool {
        try remove("DELETE FROM devices WHERE account = ?1 AND id = ?2", id, of: account)
    }

    package func removeOtherDevices(with device: PushDevice) throws {
        let statement = try connection.statement(
            "DELETE FROM devices WHERE target = ?3 AND NOT (account = ?1 AND id = ?2)")
        statement.bind(1, device.account.number)
        statement.bind(2, device.id)
        switch device.target {
        case .apns(let target): statement.bind(3, target.token)
        case .webPush(let target): statement.bind(3, target.endpoint)
        }
        try statement.run()
    }

    package func removeDevices(of account: AccountKey, keeping session: ID?) throws {
        for device in try devices(of: account) where device.session != nil && device.session != session {
            _ = try removeDevice(device.id, of: account)
        }
    }

    package func enqueue(_ push: PushJob) throws {
        let statement = try connection.statement(
            """
            INSERT INTO pushes (account, device, kind, task_id, reminder, fire_at, created_at, due_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
            """)
        statement.bind(1, push.account.number)
        statement.bind(2, push.device)
        switch push.cause {
        case .reminder(let task, let alarm):
            statement.bind(3, "reminder")
            statement.bind(4, task)
            statement.bind(5, alarm.trigger.text)
            statement.bind(6, alarm.fireAt)
        case .test, .wake:
            statement.bind(3, push.cause == .test ? "test" : "wake")
            for index in 4...6 { statement.bindNull(Int32(index)) }
        }
        statement.bind(7, push.createdAt)
        try statement.run()
    }

    package func postponePush(_ push: PushJob, until due: Timestamp) throws -> Bool {
        let statement = try connection.statement(
            "UPDATE pushes SET due_at = ?3, attempts = attempts + 1 WHERE account = ?1 AND number = ?2 AND attempts = ?4"
        )
        statement.bind(1, push.account.number)
        statement.bind(2, push.number)
        statement.bind(3, due)
        statement.bind(4, push.attempts)
        try statement.run()
        return connection.changes > 0
    }

    package func removePush(_ number: Int64, of account: AccountKey) throws {
        let statement = try connection.statement("DELETE FROM pushes WHERE account = ?1 AND number = ?2")
        statement.bind(1, account.number)
        statement.bind(2, number)
        try statement.run()
    }

    package func save(_ schedule: ReminderSchedule) throws {
        let statement = try connection.statement(
            """
            INSERT INTO reminder_schedules (account, revision, fired_at, fired_id, next_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (account) DO UPDATE SET revision = excluded.revision, fired_at = excluded.fired_at,
                fired_id = excluded.fired_id, next_at = excluded.next_at
            """)
        statement.bind(1, schedule.account.number)
        statement.bind(2, schedule.revision)
        statement.bind(3, schedule.firedAt)
        statement.bind(4, schedule.firedID)
        statement.bind(5, schedule.nextAt)
        try statement.run()
    }

    package func save(_ key: ServerKey) throws {
        let statement = try connection.statement(
            """
            INSERT INTO server_keys (name, value, made_at) VALUES (?1, ?2, ?3)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value, made_at = excluded.made_at
            """)
        statement.bind(1, key.name)
        statement.bind(2, key.value)
        statement.bind(3, key.madeAt)
        try statement.run()
    }
}
