import Foundation

/// Ends the process with the words when the condition does not hold. `precondition` says none in an optimized build.
package func check(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds { fatalError(words()) }
}

/// The function of a fuzz target, as libFuzzer calls it.
package typealias FuzzTarget = (UnsafePointer<UInt8>, Int) -> CInt

/// Hands a target the inputs that the fuzzers begin with, and each of them cut short. So tests build the targets, too.
package func replayFuzzCorpus(_ name: String, to target: FuzzTarget) throws {
    let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let directory = root.appending(path: "Fuzz/corpus/\(name)")
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    check(!files.isEmpty, "no input in \(directory.path)")
    for file in files {
        let input = [UInt8](try Data(contentsOf: file))
        for length in stride(from: input.count, to: 0, by: -max(1, input.count / 20)) {
            input.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress { _ = target(start, length) }
            }
        }
    }
}
