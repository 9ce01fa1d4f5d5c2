#if !canImport(Darwin)
    import Kanban
    import KanbanSQLite
    import Locks
    import Testing

    @testable import KanbanAccess

    /// Apps that are woken in the background, because another device changed what they show.
    struct PushWakeTests {
        /// A device with a plan, and a task due in a day that it knows.
        private func office() async throws -> (office: PushOffice, task: TaskItem) {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            let task = try await office.task("known", in: 86_400)
            try await office.plan(office.device(1))
            try await office.look()
            return (office, task)
        }

        /// What was sent since the last time, by kind of push.
        private func kinds(_ office: PushOffice) -> [String] {
            office.asked.withLock { asked in
                defer { asked = [] }
                return asked.compactMap { $0.headers.first { $0.hasPrefix("apns-push-type: ") } }
                    .map { String($0.dropFirst("apns-push-type: ".count)) }
            }
        }

        private func edit(_ office: PushOffice, _ task: TaskItem, _ edit: TaskEdit) async throws {
            _ = try await office.store.write(PushOffice.account, session: nil) {
                try $0.updateTask(task.id, edit, if: .none)
            }
            try await office.look()
        }

        @Test func `a change elsewhere wakes the app once, in the background and without words`() async throws {
            let (office, task) = try await office()
            try await edit(office, task, TaskEdit(status: .done))
            #expect(kinds(office).isEmpty)
            office.advance(15)
            try await office.look()

            let request = try #require(office.asked.withLock { $0.first })
            #expect(request.headers.contains("apns-push-type: background"))
            #expect(request.headers.contains("apns-priority: 5"))
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"aps":{"content-available":1}}"#)
            #expect(kinds(office) == ["background"])
            office.advance(7_200)
            try await office.look()
            #expect(kinds(office).isEmpty)
        }

        @Test func `what the app reads and plans within the moment wakes nothing`() async throws {
            let (office, task) = try await office()
            try await edit(office, task, TaskEdit(title: "its own edit"))
            office.advance(10)
            try await office.plan(office.device(1))
            office.advance(10)
            try await office.look()
            #expect(kinds(office).isEmpty)
        }

        @Test func `changes are gathered, and wake at most twice an hour`() async throws {
            let (office, task) = try await office()
            var woken = 0
            for minute in 0..<120 {
                try await edit(office, task, TaskEdit(title: "\(minute)"))
                office.advance(60)
                try await office.look()
                woken += kinds(office).count
            }
            #expect(woken == 4)
        }

        @Test func `only what a notification or a widget shows wakes`() async throws {
            let (office, task) = try await office()
            let undated = try await office.store.write(PushOffice.account, session: nil) {
                try $0.createTask(id: nil, title: "no date", TaskEdit())
            }
            try await office.plan(office.device(1))
            try await edit(office, undated, TaskEdit(title: "still none", status: .done))
            try await edit(office, task, TaskEdit(body: "more words"))
            try await office.store.write(PushOffice.account, session: nil) { board in
                _ = try board.updateSettings(if: .none) { $0.locale = "ko" }
                try board.removeTask(undated.id, if: .none)
            }
            office.advance(60)
            try await office.look()
            office.advance(60)
            try await office.look()
            #expect(kinds(office).isEmpty)

            try await office.store.write(PushOffice.account, session: nil) { try $0.removeTask(task.id, if: .none) }
            try await office.look()
            office.advance(15)
            try await office.look()
            #expect(kinds(office) == ["background"])
        }

        @Test func `a device without a plan, and a browser, are not woken`() async throws {
            let office = try await PushOffice()
            _ = try await office.service.put(office.device(1))
            _ = try await office.service.put(office.browser(2))
            let task = try await office.task("x", in: 86_400)
            try await edit(office, task, TaskEdit(status: .done))
            office.advance(60)
            try await office.look()
            #expect(office.sent().isEmpty)
        }
    }
#endif
