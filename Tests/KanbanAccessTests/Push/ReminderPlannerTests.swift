#if !canImport(Darwin)
    import JSON
    import Kanban
    import KanbanRows
    import KanbanSQLite
    import Locks
    import TestSupport
    import Testing

    @testable import KanbanAccess

    /// Which reminders are sent to which devices, and when.
    struct ReminderPlannerTests {
        @Test func `each reminder reaches each device once, at its time`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            _ = try await office.service.put(office.browser(2))
            let task = try await office.task("Secret", in: 7_200, ["PT0S", "-PT1H"])

            try await office.look()
            #expect(office.sent().isEmpty)
            office.advance(3_599)
            try await office.look()
            #expect(office.sent().isEmpty)
            office.advance(1)
            try await office.look()
            let first = office.sent()
            #expect(first.count == 2 && first.contains("\(task.id)/-PT1H"))
            try await office.look()
            office.advance(3_599)
            try await office.look()
            #expect(office.sent().isEmpty)
            office.advance(2)
            try await office.look()
            #expect(office.sent().contains("\(task.id)/PT0S"))
            office.advance(100_000)
            try await office.look()
            #expect(office.sent().isEmpty)
            #expect(try office.waiting == 0 && office.queue.counts == QueueCounts(sent: 4))
        }

        @Test func `what is past when it is made or registered fires nothing`() async throws {
            let office = try await PushOffice()
            try await office.task("before the device", in: -5)
            _ = try await office.service.put(office.device(1))
            try await office.look()
            office.advance(600)
            try await office.task("past", in: -300)
            try await office.task("in an hour", in: 3_600)
            try await office.look()
            #expect(office.sent().isEmpty)

            office.advance(10)
            try await office.task("just now", in: -2)
            try await office.look()
            #expect(office.sent().count == 1)
        }

        @Test func `a clock that was ahead for a moment stops no reminder`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            let early = try await office.task("early", in: 60)
            let years: Int64 = 10 * 365 * 86_400
            office.advance(years)
            try await office.look()
            _ = office.sent()
            office.advance(-years)
            try await office.look()

            // Without a change of the board.
            office.advance(60)
            try await office.look()
            #expect(office.sent() == ["\(early.id)/PT0S"])
            let late = try await office.task("late", in: 60)
            try await office.look()
            office.advance(60)
            try await office.look()
            #expect(office.sent() == ["\(late.id)/PT0S"])
        }

        @Test func `after an outage of less than an hour everything comes, and nothing older`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            for minute in 1...120 { try await office.task("\(minute)", in: Int64(minute) * 60) }
            try await office.look()
            office.advance(120 * 60)

            try await office.look()

            #expect(office.sent().count == 60)
            try await office.look()
            #expect(office.sent().isEmpty)
        }

        @Test func `what was made just before the server stopped comes after the next start`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            try await office.look()
            office.advance(10)
            // Nobody looks before the stop.
            let task = try await office.task("soon", in: 60)
            office.advance(1_200)

            try await office.look()
            #expect(office.sent() == ["\(task.id)/PT0S"])
            try await office.look()
            #expect(office.sent().isEmpty)
        }

        @Test func `a damaged row keeps only its own account waiting`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            try await office.task("damaged", in: 60)
            let other = try await office.store.writeAccess {
                try $0.makeAccount(email: nil, displayName: nil, passwordHash: nil).key
            }
            var device = office.device(2)
            device.account = other
            _ = try await office.service.put(device)
            let task = try await office.task("well", in: 60, of: other)
            try await office.store.writeAccess { writer in
                let sql = try #require(writer as? SQLiteAccessWriter)
                try sql.connection.statement("UPDATE tasks SET id = x'00' WHERE account = 1").run()
            }
            office.advance(60)

            await #expect(throws: StoreError.self) { try await office.look() }
            _ = try await office.queue.sendDue()
            #expect(office.sent() == ["\(task.id)/PT0S"])
        }

        @Test func `a notification that a damaged row spoils keeps no other waiting`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            for number in 0..<4 { try await office.task("damaged \(number)", in: 60) }
            let other = try await office.store.writeAccess {
                try $0.makeAccount(email: nil, displayName: nil, passwordHash: nil).key
            }
            var device = office.device(2)
            device.account = other
            _ = try await office.service.put(device)
            let task = try await office.task("well", in: 61, of: other)
            office.advance(61)
            try await office.planner().queueDue()
            try await office.store.writeAccess { writer in
                let sql = try #require(writer as? SQLiteAccessWriter)
                try sql.connection.statement("UPDATE tasks SET series = '5' WHERE account = 1").run()
            }

            #expect(try await office.queue.sendDue() != nil)
            #expect(office.sent() == ["\(task.id)/PT0S"])
            #expect(try office.waiting == 4)
        }

        @Test func `a device that has scheduled a reminder itself gets no other, until the task changes`() async throws
        {
            let office = try await PushOffice()
            let (phone, tablet) = (office.device(1), office.device(2))
            _ = try await office.service.put(phone)
            _ = try await office.service.put(tablet)
            let known = try await office.task("known", in: 60)
            let changed = try await office.task("changed", in: 60)
            try await office.plan(phone)
            _ = try await office.store.write(PushOffice.account, session: nil) {
                try $0.updateTask(changed.id, TaskEdit(title: "changed since"), if: .none)
            }
            office.advance(60)

            try await office.look()

            #expect(
                office.sent().sorted() == ["\(known.id)/PT0S", "\(changed.id)/PT0S", "\(changed.id)/PT0S"].sorted())
        }

        @Test func `settings that move the instants make a plan old`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            try await office.task("known", in: 60)
            try await office.plan(office.device(1))
            _ = try await office.store.write(PushOffice.account, session: nil) {
                try $0.updateSettings(if: .none) { $0.allDayTime = "10:00" }
            }
            office.advance(60)

            try await office.look()

            #expect(office.sent().count == 1)
        }

        @Test func `of more reminders than a device can schedule the server sends the rest`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            for second in 1...70 { try await office.task("\(second)", in: Int64(second)) }
            try await office.plan(office.device(1))
            office.advance(100)

            try await office.look()

            #expect(office.sent().count == 6)
        }

        @Test func `a plan covers what is between its ends, and what was due before goes by the plan before`()
            async throws
        {
            let office = try await PushOffice()
            let phone = office.device(1)
            _ = try await office.service.put(phone)
            let known = try await office.task("known", in: 60)
            try await office.plan(phone)
            let late = try await office.task("heard of too late", in: 60)
            let soon = try await office.task("soon", in: 70)
            let beyond = try await office.task("beyond", in: 80)
            office.advance(60)
            // Before the server looks.
            let now = office.now.withLock { $0 }
            let plan = try await office.store.read(PushOffice.account) { reader in
                let feed = try reader.feedState()
                return try PushPlan(
                    Cursor(epoch: feed.epoch, revision: feed.revision), from: now, until: now + .seconds(20), reader,
                    at: Moment(now: now, zone: .utc))
            }
            _ = try await office.service.plan(plan, for: phone.id, of: PushOffice.account)
            try await office.look()
            #expect(office.sent() == ["\(late.id)/PT0S"] && known.id != late.id)

            office.advance(60)
            try await office.look()
            #expect(office.sent() == ["\(beyond.id)/PT0S"] && soon.id != beyond.id)
        }

        @Test func `ten thousand at once are queued in parts, each once`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            let due = DueDate.instant(office.now.withLock { $0 } + .seconds(60))
            try await office.store.write(PushOffice.account, session: nil) { board in
                for number in 0..<10_000 {
                    _ = try board.createTask(id: nil, title: "\(number)", TaskEdit(dueDate: due))
                }
            }
            try await office.look()
            office.advance(60)

            async let first: Void = office.planner().queueDue()
            async let second: Void = office.planner().queueDue()
            _ = try await (first, second)

            #expect(try office.waiting == 10_000)
            try await office.planner().queueDue()
            #expect(try office.waiting == 10_000)
        }

        @Test func `a restart neither loses nor repeats a reminder`() async throws {
            var office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            let task = try await office.task("x", in: 60)
            try await office.look()
            let start = office.now.withLock { $0 }
            func restart() async throws {
                office.store.close()
                let now = office.now.withLock { $0 }
                office = try await PushOffice(in: office.directory)
                office.now.withLock { $0 = now }
            }
            try await restart()
            office.advance(61)
            try await office.planner().queueDue()
            try await restart()

            try await office.look()
            #expect(office.sent() == ["\(task.id)/PT0S"])
            try await restart()
            try await office.look()
            #expect(office.sent().isEmpty && start < office.now.withLock { $0 })
        }
    }
#endif
