// Writes the bytes of the wire's cases to a directory, as seeds for the fuzzers (see Fuzz/run).
//
//     write-seeds CASES DIRECTORY PREFIX
//
// PREFIX bytes stand before each: the second target takes its cuts from them.

import Foundation

@main
struct WriteSeeds {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let prefix = Int(arguments[3]) else {
            print("write-seeds CASES DIRECTORY PREFIX")
            exit(64)
        }
        for wireCase in try WireCase.all(in: URL(filePath: arguments[1])) where wireCase.bytes.count < 2000 {
            let bytes = (0..<prefix).map { UInt8($0 * 5 + 1) } + wireCase.bytes
            try Data(bytes).write(to: URL(filePath: arguments[2]).appending(path: wireCase.name))
        }
    }
}
