import Testing

@testable import KanbanSQLite

struct DurableFileTests {
    @Test(arguments: [
        ("x", "."), ("xy", "."), ("é", "."), (".", "."), ("a/", "."), ("/x", "/"), ("/", "/"), ("a/b", "a"),
        ("a/b/", "a"), ("/a/b", "/a"), ("./x", "."), ("../x", ".."), ("a//b", "a"),
    ])
    func `the directory of a file is what dirname says`(path: String, directory: String) {
        #expect(path.parentDirectory == directory)
    }
}
