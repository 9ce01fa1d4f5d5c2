import Foundation

/// A row of `Tests/Cases/search.json`: the rules of a search, for the server, the device and the web board alike.
package struct SearchCase: Decodable, Sendable {
    package let query: String
    package let title: String
    package let body: String
    package let found: Bool

    package static let all: [SearchCase] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        do {
            return try JSONDecoder().decode(
                [SearchCase].self, from: Data(contentsOf: tests.appending(path: "Cases/search.json")))
        } catch {
            fatalError("Tests/Cases/search.json: \(error)")
        }
    }()
}
