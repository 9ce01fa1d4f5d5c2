import Kanban

/// The plain text of the mail of what is due: the overdue tasks, and those of today.
struct DigestText {
    /// The most tasks of each list. The mail says how many more there are.
    private static let most = 50

    private let overdue: TaskHead
    private let due: TaskHead
    private let zone: Zone

    /// - Returns: `nil` when nothing is due.
    init?(_ board: any BoardReader, at moment: Moment) throws {
        let today = try Today(board, at: moment, limit: Self.most)
        guard today.overdue.count + today.due.count > 0 else { return nil }
        (overdue, due, zone) = (today.overdue, today.due, moment.zone)
    }

    func written(in language: Language, site: String) -> (subject: String, text: String) {
        let words = Words.of(language)
        let lists = [(words.overdue, overdue), (words.today, due)].filter { $0.1.count > 0 }
        let subject = lists.map { "\($0): \($1.count)" }.joined(separator: ", ")
        let paragraphs = lists.map { heading, list in
            let lines = list.tasks.map { "- \(line($0, withDay: heading == words.overdue))" }
            let rest = list.count > list.tasks.count ? ["… \(words.more(list.count - list.tasks.count))"] : []
            return (["\(heading) (\(list.count))"] + lines + rest).joined(separator: "\n")
        }
        return (subject, (paragraphs + [site, words.end]).joined(separator: "\n\n") + "\n")
    }

    /// The title and when it is due: `Pay the rent (2026-11-25 14:30)`.
    private func line(_ task: TaskItem, withDay: Bool) -> String {
        guard let due = task.dueDate else { return task.title.onOneLine }
        var parts = withDay ? [due.day(in: zone).description] : []
        if case .instant(let instant) = due {
            // Of local time in the form of UTC.
            let local = instant.adding(milliseconds: zone.offset(at: instant))
            parts.append(String(local.description.dropFirst(11).prefix(5)))
        }
        let title = task.title.onOneLine
        return parts.isEmpty ? title : "\(title) (\(parts.joined(separator: " ")))"
    }

    private struct Words {
        var overdue: String
        var today: String
        var more: @Sendable (Int) -> String
        var end: String

        static func of(_ language: Language) -> Words {
            switch language {
            case .en:
                Words(
                    overdue: "Overdue", today: "Due today", more: { "\($0) more" },
                    end:
                        "You get this mail because your settings have a time for it. Clear that time, or unsubscribe, to end it."
                )
            case .ko:
                Words(
                    overdue: "지난 할 일", today: "오늘 할 일", more: { "외 \($0)개" },
                    end: "설정에 이 메일을 받을 시각이 있어 보내드립니다. 그만 받으려면 설정에서 시각을 지우거나 수신을 거부하세요.")
            case .ja:
                Words(
                    overdue: "期限切れ", today: "今日が期限", more: { "ほか \($0) 件" },
                    end: "設定にこのメールの時刻があるため送信しています。停止するには、設定の時刻を消すか、配信を停止してください。")
            }
        }
    }
}
