import Foundation
import Testing

/// Lines of a file in `Fixtures`, without comments and empty lines.
func fixtureLines(_ name: String) throws -> [String] {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: nil))
    return try String(contentsOf: url, encoding: .utf8)
        .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
}
