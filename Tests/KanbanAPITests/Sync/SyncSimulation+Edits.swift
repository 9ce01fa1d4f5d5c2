import HTTP
import JSON
import TestSupport

/// What the people in the simulation do.
extension SyncSimulation {
    /// An edit on a device, as a mutation for its outbox.
    func edit(on index: Int) -> JSON {
        let kind = Int.random(in: 0..<10, using: &random)
        if kind == 0 {
            return mutation(
                of: "settings", "patch", "settings", on: index, ["custom": ["k\(random.next() % 3)": word]])
        }
        let type = kind == 1 ? "category" : kind == 2 ? "dday" : "task"
        guard let id = ids[type]?.randomElement(using: &random), !Bool.random(using: &random) || kind > 4 else {
            let id = random.id()
            ids[type, default: []].append(id)
            return mutation(of: type, "create", id, on: index, whole(type))
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return mutation(of: type, "put", id, on: index, whole(type))
        case 1: return mutation(of: type, "delete", id, on: index, nil)
        case 2 where type != "settings":
            return mutation(of: type, "restore", id, on: index, type == "task" ? restorePlace : nil)
        case 3..<6 where type == "task": return mutation(of: type, "move", id, on: index, place)
        default: return mutation(of: type, "patch", id, on: index, part(type))
        }
    }

    private func mutation(of type: String, _ op: String, _ id: String, on index: Int, _ value: JSON?) -> JSON {
        let known = replicas[index].copy["\(type)/\(id)"]?.revision
        let policy = ["merge", "merge", "keep", "reject", nil].randomElement(using: &random) ?? nil
        let mutationID = random.id()
        if type == "task", let text = value?["body"]?.stringValue { marks[mutationID] = (id, text) }
        return .mutation(
            of: type, op, id, base: Bool.random(using: &random) ? known : nil, value, onConflict: policy,
            mutationID: mutationID)
    }

    /// Text that nobody else writes.
    private var word: JSON {
        .string("w\(random.next())")
    }

    private func whole(_ type: String) -> JSON {
        switch type {
        // Some names are given on several devices.
        case "category": return ["name": Bool.random(using: &random) ? word : .string("c\(random.next() % 4)")]
        case "dday": return ["title": word, "date": "2026-12-24"]
        default:
            var task: JSON = ["title": word, "body": word]
            if let category = ids["category"]?.randomElement(using: &random) { task["categoryId"] = .string(category) }
            return task
        }
    }

    private func part(_ type: String) -> JSON {
        switch type {
        case "category": return ["name": word]
        case "dday": return ["title": word]
        default:
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return ["title": word]
            case 1: return ["dueDate": Bool.random(using: &random) ? "2026-12-01" : .null]
            case 2: return ["status": column]
            case 3: return ["categoryName": .string("c\(random.next() % 4)")]
            default: return ["body": word]
            }
        }
    }

    private var column: JSON {
        .string(["todo", "doing", "done"].randomElement(using: &random) ?? "todo")
    }

    private var place: JSON {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return ["status": column]
        case 1: return ["place": "first"]
        default: return ["after": .string(ids["task"]?.randomElement(using: &random) ?? .unknownID)]
        }
    }

    private var restorePlace: JSON? {
        var place = place
        place["status"] = nil
        return Bool.random(using: &random) ? place : nil
    }

    /// Somebody who is online, without a copy.
    func writeDirectly() async throws {
        func text(_ json: JSON) -> String { String(decoding: json.serialized(), as: UTF8.self) }
        guard let id = ids["task"]?.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: await board.send(.post, "/tasks", text(whole("task")))
        case 1: await board.send(.patch, "/tasks/\(id)", text(part("task")))
        case 2: await board.send(.post, "/tasks/\(id)/move", text(place))
        case 3: await board.send(.delete, "/tasks/\(id)")
        default:
            if let category = ids["category"]?.randomElement(using: &random) {
                await board.send(.delete, "/categories/\(category)")
            }
        }
    }
}
