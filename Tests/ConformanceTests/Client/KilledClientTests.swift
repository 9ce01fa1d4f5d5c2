import Foundation
import JSON
import TestSupport
import Testing

/// A client process that is killed while it edits and syncs: what it said is done is there afterwards, once.
struct KilledClientTests {
    private let binary = URL(filePath: kanbaseBinary).deletingLastPathComponent().appending(path: "kb").path

    /// `kb` with these commands, killed as soon as it wrote `bytes` bytes; what it wrote.
    private func kill(_ folder: String, _ url: String, _ commands: String, after bytes: Int) throws -> String {
        let files = try TemporaryDirectory()
        try commands.write(toFile: files.file("in"), atomically: true, encoding: .utf8)
        let process = try ChildProcess(
            binary, [folder, url], environment: ProcessInfo.processInfo.environment, input: files.file("in"),
            errors: files.file("errors"))
        let output: [UInt8]
        do {
            output = try process.read(seconds: 240) { $0.count >= bytes }
        } catch {
            Foundation.kill(process.identifier, SIGKILL)
            _ = process.wait()
            throw error
        }
        Foundation.kill(process.identifier, SIGKILL)
        #expect(process.wait() == .killed(SIGKILL))
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `nothing that was acknowledged is lost, and nothing is there twice`() throws {
        let folder = try TemporaryDirectory()
        let server = try Kanbase()
        let url = "http://127.0.0.1:\(server.port)"
        var acknowledged: Set<String> = []
        for round in 0..<5 {
            // More than it can do until it is killed: a pipe that nobody reads takes 64 KiB of its answers.
            let commands = (0..<8_000).map { number in
                number % 40 == 39 ? "sync" : "add task \(round)-\(number)"
            }
            let output = try kill(folder.path, url, commands.joined(separator: "\n") + "\n", after: 2_000 + round * 700)
            let added = output.split(separator: "\n").filter { $0.hasPrefix("Added task ") }
            // The last line may have been cut off.
            acknowledged.formUnion(added.dropLast().map { String($0.dropFirst("Added ".count)) })
        }

        let last = try ChildProcess.run(
            binary, [folder.path, url], environment: ProcessInfo.processInfo.environment, input: "sync\nstatus\n")

        #expect(last.output.split(separator: "\n") == ["Synced", "not following"], "\(last.output)\(last.errors)")
        let titles = try server.client().walk("/tasks?limit=200").map(\.title)
        #expect(acknowledged.count > 300)
        #expect(acknowledged.subtracting(titles).isEmpty)
        #expect(Set(titles).count == titles.count)
    }
}
