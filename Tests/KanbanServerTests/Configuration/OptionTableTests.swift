import Foundation
import Testing

@testable import KanbanServer

struct OptionTableTests {
    @Test func `no option stands twice`() {
        let names = Option.all.map(\.name)

        #expect(Set(names).count == names.count)
    }

    @Test func `every default is a value that the option itself takes, and changes nothing`() {
        for option in Option.all
        where !["", "by address", "processors", "never", "local", "command line"].contains(option.fallback) {
            var configuration = Configuration()

            let rejection = option.set(option.fallback, &configuration)

            #expect(rejection == nil, "--\(option.name) rejects its default")
            #expect(configuration == Configuration(), "--\(option.name) has another default than it says")
        }
    }

    @Test(arguments: [
        (["bakcup"], "There is no command 'bakcup'. Did you mean 'backup'?"),
        (["backup", "x"], "There is no command 'backup x'."),
    ])
    func `help of what is no command says so`(words: [String], message: String) {
        let failure = #expect(throws: Failure.self) { try Help.page(for: words) }
        #expect(failure?.message == message)
    }

    @Test func `the help of a command names each of its options`() throws {
        for command in Command.allCases {
            let page = try Help.page(for: command.words)

            for option in Option.all {
                let isNamed = page.contains("\n  \(option.spelling) ") || page.contains("\n  \(option.spelling)\n")
                #expect(isNamed == option.commands.contains(command), "\(command.rawValue) and --\(option.name)")
            }
        }
    }

    @Test func `the overview names every command and every option of the server`() {
        for command in Command.allCases { #expect(Help.overview.contains("  \(command.rawValue) ")) }
        for option in Option.all where option.commands.contains(.serve) {
            #expect(Help.overview.contains("  \(option.spelling)"))
        }
    }

    @Test func `the page of the configuration is what the program prints`() throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)

        #expect(page == (try Help.page(for: ["configuration"])), "write it with kanbase help configuration")
        #expect(Option.all.filter { $0.commands.contains(.serve) }.allSatisfy { page.contains("`--\($0.name)") })
    }
}

struct SuggestionTests {
    @Test(arguments: [("", "", 0), ("abc", "abc", 0), ("prot", "port", 1), ("abc", "", 3), ("kitten", "sitting", 3)])
    func `the distance counts edits`(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance)
        #expect(editDistance(right, left) == distance)
    }

    @Test func `only what is near is suggested`() {
        #expect(suggestion(for: "serv", among: ["serve", "restore"]) == "serve")
        #expect(suggestion(for: "xyz", among: ["serve", "restore"]) == nil)
    }
}
