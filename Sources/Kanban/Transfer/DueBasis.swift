import JSON

/// What the due date and the rule of a file's task rest on besides the words of the file: the day of the import, and the
/// zone of the account. The same words give others on another day or in another zone, which makes no later version of the
/// task.
package struct DueBasis: Hashable, Sendable {
    /// The zone in which the words were read.
    package var zone: Zone
    /// True if the file names the zone. Otherwise it is the one that the account or the server has at the time.
    package var isZoneOfFile: Bool
    /// True if the date is the next one of the rule, counted from the day of the import.
    package var isNextOfRule = false
    /// The rule of the words, to which the first date may have added its day of the month.
    package var rule: String?
    /// Of a due date that is the day of an instant: the instant.
    package var instant: Timestamp?

    package init(in zone: Zone, isOfFile: Bool) {
        (self.zone, isZoneOfFile) = (zone, isOfFile)
    }

    /// True if the words may have given this due date at another time.
    /// - Parameter zones: those in which words without a zone may have been read.
    func mayGive(_ due: DueDate?, for now: DueDate?, in zones: [Zone]) -> Bool {
        let zones = isZoneOfFile ? [zone] : [zone] + zones
        switch (due, now) {
        case (.day(let due)?, .day?):
            return isNextOfRule || instant.map { instant in zones.contains { $0.day(of: instant) == due } } == true
        case (.instant(let due)?, .instant(let now)?): return mayGive(due, for: now, in: zones)
        default: return false
        }
    }

    /// True if two instants are the same on the clocks of the zones in which they may have been read.
    func mayGive(_ instant: Timestamp, for now: Timestamp, in zones: [Zone]) -> Bool {
        let wall = zone.wall(of: now)
        return zones.contains { other in
            isNextOfRule ? other.wall(of: instant).time == wall.time : other.instant(of: wall) == instant
        }
    }

    /// True if the words may have given this recurrence at another time.
    func mayGive(_ recurrence: Recurrence?, for now: Recurrence?) -> Bool {
        guard let recurrence, let now, recurrence.from == now.from else { return false }
        guard let rule, !recurrence.rule.isSpelled(like: now.rule) else {
            return recurrence.rule.isSpelled(like: now.rule)
        }
        let isOfWords = recurrence.rule.isSpelled(like: rule)
        return isOfWords || recurrence.rule.hasPrefix("\(rule);BYMONTH") && recurrence.rule.hasSuffix(";SKIP=BACKWARD")
    }

    /// True if the words may have given this value of a member, as the history has it, at another time.
    func mayGive(_ value: JSON, for now: JSON, of member: String, in zones: [Zone]) -> Bool {
        switch TaskMember(rawValue: member) {
        case .dueDate:
            mayGive(
                value.stringValue.flatMap { DueDate($0) }, for: now.stringValue.flatMap { DueDate($0) }, in: zones)
        case .recurrence: mayGive(Recurrence(.json(value)), for: Recurrence(.json(now)))
        default: false
        }
    }

    /// The task of the file with what its words may have given before as it is.
    func kept(_ task: TaskItem, since old: TaskItem, in zones: [Zone]) -> TaskItem {
        var task = task
        if mayGive(old.recurrence, for: task.recurrence) { task.recurrence = old.recurrence }
        if mayGive(old.dueDate, for: task.dueDate, in: zones) {
            task.dueDate = old.dueDate
            if let series = old.series, series.id == task.series?.id { task.series = series }
        }
        if let done = task.completedAt, let before = old.completedAt, !isZoneOfFile,
            DueBasis(in: zone, isOfFile: false).mayGive(before, for: done, in: [zone] + zones)
        {
            task.completedAt = before
        }
        return task
    }
}
