import Kanban

/// Dates as spreadsheets and people write them in English, Korean and Japanese. What is not understood is not guessed.
struct ImportedDate {
    private enum Token: Equatable {
        case number(Int, digits: Int)
        case word(String)
        case mark(Character)
    }

    /// Of days and months in `1/2/2026`, which comes first; `nil` when nothing tells.
    var isDayFirst: Bool?
    var zone: Zone

    init(zone: Zone, isDayFirst: Bool? = nil) {
        (self.zone, self.isDayFirst) = (zone, isDayFirst)
    }

    /// The order of days and months that a whole column shows by its numbers above 12, unless its dates contradict each other.
    init(zone: Zone, of column: some Sequence<String>) {
        var orders: Set<Bool> = []
        for text in column {
            guard let (first, second) = Self.slashed(Self.tokens(text)), (first > 12) != (second > 12) else { continue }
            orders.insert(first > 12)
        }
        self.init(zone: zone, isDayFirst: orders.count == 1 ? orders.first : nil)
    }

    /// A day, or an instant when there is a time; `nil` for what is not understood.
    func read(_ text: String) -> DueDate? { plain(text) ?? local(text) }

    /// True if the text has a time without an offset: another zone makes another instant of it.
    func isLocal(_ text: String) -> Bool {
        guard plain(text) == nil, case .instant = local(text) else { return false }
        return true
    }

    private func plain(_ text: String) -> DueDate? {
        let text = text.trimmed
        return DueDate(text) ?? DueDate(text.replacing(" ", with: "T", maxReplacements: 1))
    }

    private func local(_ text: String) -> DueDate? {
        let text = text.trimmed
        var tokens = Self.tokens(Self.spaced(text))
        let time = Self.takeTime(&tokens)
        guard !tokens.contains(.mark(":")), let day = day(tokens) else { return nil }
        guard let time else { return .day(day) }
        return .instant(DueDate.day(day).alarm(in: zone, allDayTime: time))
    }

    /// `2026-12-24T15:00`, without an offset, as `2026-12-24 15:00`.
    private static func spaced(_ text: String) -> String {
        guard Day(String(text.prefix(10))) != nil, text.dropFirst(10).first?.lowercased() == "t" else { return text }
        return "\(text.prefix(10)) \(text.dropFirst(11))"
    }

    /// When something happened: of a day its first moment in the zone.
    func instant(_ text: String) -> Timestamp? {
        switch read(text) {
        case .instant(let instant): instant
        case .day(let day): zone.startOfDay(day)
        case nil: nil
        }
    }

    // MARK: - The day

    private func day(_ tokens: [Token]) -> Day? {
        let words = tokens.compactMap { token in if case .word(let word) = token { word } else { nil } }
        let numbers = tokens.compactMap { token in
            if case .number(let value, let digits) = token { (value: value, digits: digits) } else { nil }
        }
        let months = words.filter { Self.month($0) != nil }
        guard words.allSatisfy({ months.contains($0) || Self.fillers.contains($0) || Self.weekdays.contains($0) })
        else {
            return nil
        }
        let years = numbers.filter { $0.digits == 4 }
        guard years.count == 1, let year = years.first?.value else { return nil }
        let others = numbers.filter { $0.digits <= 2 }.map(\.value)
        if let month = months.first.flatMap(Self.month) {
            guard months.count == 1, numbers.count == 2, let day = others.first else { return nil }
            return Day(year: year, month: month, day: day)
        }
        guard numbers.count == 3, others.count == 2 else { return nil }
        if numbers[0].digits == 4 { return Day(year: year, month: others[0], day: others[1]) }
        guard numbers[2].digits == 4 else { return nil }
        let isDayFirst =
            tokens.contains(.mark(".")) || others[0] > 12 ? true : others[1] > 12 ? false : self.isDayFirst
        guard let isDayFirst else { return nil }
        return Day(year: year, month: others[isDayFirst ? 1 : 0], day: others[isDayFirst ? 0 : 1])
    }

    /// The first two numbers of `1/2/2026`.
    private static func slashed(_ tokens: [Token]) -> (Int, Int)? {
        guard tokens.count >= 5, case .number(let first, digits: 1...2) = tokens[0],
            case .number(let second, digits: 1...2) = tokens[2], case .number(_, digits: 4) = tokens[4],
            tokens[1] == .mark("/") || tokens[1] == .mark("-"), tokens[3] == tokens[1]
        else { return nil }
        return (first, second)
    }

    // MARK: - The time

    /// Removes the time of day: milliseconds since midnight.
    private static func takeTime(_ tokens: inout [Token]) -> Int64? {
        let halves = tokens.compactMap { token -> Bool? in
            guard case .word(let word) = token else { return nil }
            return afternoon.contains(word) ? true : morning.contains(word) ? false : nil
        }
        let separators: [Token] = [.mark(":"), .word("시"), .word("時")]
        guard
            let index = tokens.indices.dropFirst().first(where: { separators.contains(tokens[$0]) }),
            case .number(var hour, digits: 1...2) = tokens[index - 1]
        else { return nil }
        var end = index + 1
        var parts = [0, 0]
        for part in parts.indices {
            guard end < tokens.count, case .number(let value, digits: 1...2) = tokens[end] else { break }
            parts[part] = value
            end += 1
            let next: [Token] = [.mark(":"), .word("분"), .word("分"), .word("초"), .word("秒")]
            if end < tokens.count, next.contains(tokens[end]) { end += 1 } else { break }
        }
        // Seconds may have a fraction.
        var fraction: Int64 = 0
        if end == index + 4, end + 1 < tokens.count, tokens[end] == .mark("."),
            case .number(let value, let digits) = tokens[end + 1]
        {
            fraction = Int64(value) * 1_000 / (0..<digits).reduce(1) { power, _ in power * 10 }
            end += 2
        }
        guard halves.count <= 1, hour < (halves.isEmpty ? 24 : 13), parts[0] < 60, parts[1] < 60 else { return nil }
        if let isAfternoon = halves.first { hour = hour % 12 + (isAfternoon ? 12 : 0) }
        tokens.removeSubrange((index - 1)..<end)
        tokens.removeAll { token in
            if case .word(let word) = token { afternoon.contains(word) || morning.contains(word) } else { false }
        }
        return Int64(hour * 3_600 + parts[0] * 60 + parts[1]) * 1_000 + fraction
    }

    // MARK: - Words

    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        for character in text.lowercased() {
            if let digit = character.wholeNumberValue, character.isASCII {
                if case .number(let value, let digits)? = tokens.last, digits < 9 {
                    tokens[tokens.count - 1] = .number(value * 10 + digit, digits: digits + 1)
                } else {
                    tokens.append(.number(digit, digits: 1))
                }
            } else if character.isLetter {
                if case .word(let word)? = tokens.last {
                    tokens[tokens.count - 1] = .word(word + String(character))
                } else {
                    tokens.append(.word(String(character)))
                }
            } else if !character.isWhitespace || tokens.last != .mark(" ") {
                tokens.append(.mark(character.isWhitespace ? " " : character))
            }
        }
        return tokens.filter { $0 != .mark(" ") }
    }

    /// The month of an English name or its first letters.
    static func month(_ word: String) -> Int? {
        word.count < 3 ? nil : months.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let fillers: Set<String> = [
        "년", "월", "일", "年", "月", "日", "st", "nd", "rd", "th", "of", "시", "분", "時", "分",
    ]
    private static let weekdays: Set<String> = {
        let english = ["mon", "tue", "wed", "thu", "fri", "sat", "sun", "tues", "weds", "thur", "thurs"]
        let long = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        let korean = "월화수목금토일".flatMap { [String($0), "\($0)요일"] }
        let japanese = "月火水木金土日".flatMap { [String($0), "\($0)曜日", "\($0)曜"] }
        return Set(english + long + korean + japanese)
    }()
    private static let morning: Set<String> = ["am", "오전", "午前"]
    private static let afternoon: Set<String> = ["pm", "오후", "午後"]
}
