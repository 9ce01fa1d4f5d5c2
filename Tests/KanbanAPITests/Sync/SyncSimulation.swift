import Foundation
import HTTP
import JSON
import Kanban
import TestSupport
import Testing

/// Some devices, a server that restarts, and a network that loses, repeats and reorders, all driven by one seed.
///
/// Requests are answered one after another, as the store's one writer would order them anyway; so a seed always tells
/// the same scenario.
final class SyncSimulation {
    let seed: Int
    var random: SeededRandom
    var board: TestBoard
    var replicas: [Replica]
    private var requests: [Message] = []
    private var answers: [(message: Message, answer: Answer)] = []
    /// The first result of each mutation that any client got.
    private(set) var results: [String: JSON] = [:]
    /// Whose results may differ when they are sent again: those of an atomic request that was undone are free again.
    private var undone: Set<String> = []
    /// What mutations were meant to write, by their id.
    var marks: [String: (task: String, text: String)] = [:]
    var ids: [String: [String]] = ["task": [], "category": [], "dday": []]

    struct Message {
        var replica: Int
        var since: String?
        var body: JSON
    }

    init(seed: Int, replicas: Int = 4) throws {
        self.seed = seed
        random = SeededRandom(seed)
        board = try TestBoard()
        self.replicas = (0..<replicas).map { _ in Replica() }
    }

    func run(steps: Int) async throws {
        for _ in 0..<steps { try await step() }
        try await drain()
    }

    private func step() async throws {
        let replica = Int.random(in: replicas.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: replicas[replica].outbox.append(edit(on: replica))
        case 40..<58: send(from: replica)
        case 58..<72: try await deliverRequest(loses: chance(0.2), repeats: chance(0.25))
        case 72..<86: try await deliverAnswer(loses: chance(0.25), repeats: chance(0.2))
        case 86..<92: try await writeDirectly()
        case 92..<96: try await pull(replica)
        case 96..<98: try restart()
        default: try await beAwayForLong()
        }
    }

    private func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    // MARK: - The network

    private func send(from index: Int, isAtomic: Bool? = nil) {
        let replica = replicas[index]
        let mutations = Array(replica.outbox.prefix(20))
        var body: JSON = ["mutations": .array(mutations), "atomic": .bool(isAtomic ?? chance(0.1))]
        if let since = replica.cursor { body["since"] = .string(since) } else { body["since"] = .null }
        requests.append(Message(replica: index, since: replica.cursor, body: body))
    }

    private func deliverRequest(loses: Bool, repeats: Bool) async throws {
        guard let index = requests.indices.randomElement(using: &random) else { return }
        let message = repeats ? requests[index] : requests.remove(at: index)
        if loses { return }
        let answer = await board.send(.post, "/sync", String(decoding: message.body.serialized(), as: UTF8.self))
        answers.append((message, answer))
    }

    private func deliverAnswer(loses: Bool, repeats: Bool) async throws {
        guard let index = answers.indices.randomElement(using: &random) else { return }
        let (message, answer) = repeats ? answers[index] : answers.remove(at: index)
        if !loses { try take(answer, to: message) }
    }

    private func take(_ answer: Answer, to message: Message) throws {
        if answer.status == 410 {
            if replicas[message.replica].cursor == message.since { replicas[message.replica].forgetAll() }
            return
        }
        try #require(answer.status == 200, "seed \(seed): \(answer.json)")
        let results = try #require(answer.json["results"]?.arrayValue)
        let isAtomic = message.body["atomic"] == true
        let isUndone = isAtomic && results.contains { ["rejected", "conflict"].contains($0["status"]?.stringValue) }
        for result in results {
            let id = try #require(result["mutationId"]?.stringValue)
            if isUndone {
                undone.insert(id)
                // The one that spoilt it is given up, the others are tried again.
                if result["problem"]?["code"] != "rolled_back" { replicas[message.replica].forget(id) }
                continue
            }
            if let first = self.results[id], !undone.contains(id) {
                #expect(first == result, "seed \(seed): a repeat of \(id) had another result")
            }
            self.results[id] = result
            replicas[message.replica].forget(id)
        }
        replicas[message.replica].take(answer.json, since: message.since)
    }

    private func pull(_ index: Int) async throws {
        let replica = replicas[index]
        let limit = Int.random(in: 1...7, using: &random)
        let target = "/changes?limit=\(limit)" + (replica.cursor.map { "&since=\($0)" } ?? "")
        try take(await board.send(.get, target), from: index)
    }

    private func take(_ answer: Answer, from index: Int) throws {
        if answer.status == 410 { return replicas[index].forgetAll() }
        try #require(answer.status == 200, "seed \(seed): \(answer.json)")
        replicas[index].take(answer.json, since: replicas[index].cursor)
    }

    // MARK: - The server

    private func restart() throws {
        let now = board.clock.now
        board = try TestBoard(in: board.stop(), at: now.description)
    }

    /// So long that tombstones are purged. Only while nothing is under way: results of mutations are kept a month.
    private func beAwayForLong() async throws {
        guard requests.isEmpty, answers.isEmpty, replicas.allSatisfy(\.outbox.isEmpty) else {
            return board.clock.advance(seconds: 3)
        }
        board.clock.advance(seconds: 95 * 86_400)
        try await board.maintain()
    }

    /// Everything arrives, and everybody asks until there is nothing more.
    private func drain() async throws {
        while !requests.isEmpty { try await deliverRequest(loses: false, repeats: false) }
        while !answers.isEmpty { try await deliverAnswer(loses: false, repeats: false) }
        for index in replicas.indices {
            while !replicas[index].outbox.isEmpty {
                send(from: index, isAtomic: false)
                try await deliverRequest(loses: false, repeats: false)
                try await deliverAnswer(loses: false, repeats: false)
            }
        }
        for index in replicas.indices {
            repeat { try await pull(index) } while replicas[index].hasMore
        }
    }
}

/// A device: what it knows of the board, and what it did not get rid of yet.
struct Replica {
    var cursor: String?
    var hasMore = true
    /// By type and id.
    var copy: [String: JSON] = [:]
    var outbox: [JSON] = []

    mutating func forget(_ mutationID: String) {
        outbox.removeAll { $0["mutationId"]?.stringValue == mutationID }
    }

    mutating func forgetAll() {
        cursor = nil
        copy = [:]
        hasMore = true
    }

    /// Takes in a page, if it follows on what is known; an answer that was overtaken does not.
    mutating func take(_ page: JSON, since: String?) {
        guard since == cursor else { return }
        for change in page["changes"]?.arrayValue ?? [] {
            let key = "\(change["type"]?.stringValue ?? "")/\(change.id)"
            copy[key] = change["deleted"] == true ? nil : change["value"]
        }
        cursor = page["cursor"]?.stringValue
        hasMore = page["hasMore"] == true
    }
}
