import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// Any number of devices end up with the same board.
///
/// `KANBASE_SYNC_SEEDS=500 swift test --filter SyncSimulationTests` runs 500 scenarios, `KANBASE_SYNC_SEED=123` the
/// one of that seed.
struct SyncSimulationTests {
    private static let seeds: [Int] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["KANBASE_SYNC_SEED"].flatMap({ Int($0) }) { return [seed] }
        // Fewer over several servers, where each takes as long as ten over a file.
        let usual = SharedServers.count == 0 ? 12 : 3
        return Array(1...max(1, environment["KANBASE_SYNC_SEEDS"].flatMap { Int($0) } ?? usual))
    }()

    @Test(arguments: seeds)
    func `whatever gets lost, repeated or reordered, all replicas end up equal to the server`(seed: Int) async throws {
        let simulation = try SyncSimulation(seed: seed)

        try await simulation.run(steps: 250)

        let state = try await simulation.board.pull().changes
        let server = Dictionary(
            uniqueKeysWithValues: state.map { ("\($0["type"]?.stringValue ?? "")/\($0.id)", $0["value"] ?? .null) })
        for (index, replica) in simulation.replicas.enumerated() {
            #expect(replica.copy == server, "seed \(seed): replica \(index) differs")
        }
        try await expectEachAppliedOnce(simulation)
    }

    /// What was acknowledged is in the history exactly once, what was refused never.
    private func expectEachAppliedOnce(_ simulation: SyncSimulation) async throws {
        var written: [String: [String: Int]] = [:]
        for (mutationID, mark) in simulation.marks {
            guard let result = simulation.results[mutationID] else { continue }
            let texts = if let known = written[mark.task] { known } else { await texts(mark.task, simulation.board) }
            written[mark.task] = texts
            // Purged from the trash, with its history.
            if texts.isEmpty, result.status == "applied" || result.status == "merged" { continue }
            let count = texts[mark.text] ?? 0
            let expected =
                switch result.status {
                case "applied": 1...1
                case "merged": 0...1
                default: 0...0
                }
            #expect(
                expected.contains(count),
                "seed \(simulation.seed): \(mutationID) is \(result.status), and was written \(count) times")
        }
    }

    /// How often each text was written into the body of a task.
    private func texts(_ task: String, _ board: TestBoard) async -> [String: Int] {
        let answer = await board.send(.get, "/tasks/\(task)/history?limit=200")
        var counts: [String: Int] = [:]
        for entry in answer.json["items"]?.arrayValue ?? [] {
            for change in entry["changes"]?.arrayValue ?? [] where change["member"] == "body" {
                counts[change["to"]?.stringValue ?? "", default: 0] += 1
            }
        }
        return counts
    }
}
