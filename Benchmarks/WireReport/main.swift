import Foundation
import WireCorpus

/// Which cases of the wire each of several running servers passes.
///
///     WireReport DIRECTORY NAME=PORT [NAME=PORT …]
///
/// A server needs `GET /health/live` (200) and `POST /tasks` (201 with the task), as Kanbase has.
let arguments = CommandLine.arguments.dropFirst()
guard let directory = arguments.first, arguments.count > 1 else {
    print("WireReport DIRECTORY NAME=PORT [NAME=PORT …]")
    exit(64)
}
let cases = try WireCase.all(in: URL(filePath: directory))
var hasFailed = false
for (index, argument) in arguments.dropFirst().enumerated() {
    let parts = argument.split(separator: "=")
    guard parts.count == 2, let port = UInt16(parts[1]) else {
        print("\(argument): not a name and a port")
        exit(64)
    }
    let judge = WireJudge(port: port, timeout: 2)
    var objections: [(name: String, text: String)] = []
    for wireCase in cases {
        if let objection = judge.objection(to: wireCase, .whole) { objections.append((wireCase.name, objection)) }
    }
    print("\(parts[0]): \(cases.count - objections.count) of \(cases.count) cases")
    for objection in objections { print("  \(objection.name): \(objection.text)") }
    // The first one is ours; the others are there to compare.
    if index == 0 { hasFailed = !objections.isEmpty }
}
exit(hasFailed ? 1 : 0)
