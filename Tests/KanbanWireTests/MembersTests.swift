import JSON
import Kanban
import KanbanWire
import Testing

struct MembersTests {
    private func faults(_ json: JSON, _ read: (inout Members) -> Void) throws -> [Fault] {
        var members = try Members(json, at: "#/value")
        read(&members)
        return members.finished()
    }

    @Test func `absent, null and a value are distinguished`() throws {
        var members = try Members(["a": .null, "b": "text"])

        #expect(!members.take("c").isGiven)
        #expect(members.take("a").isGiven)
        #expect(members.take("b").value == "text")
    }

    @Test func `every fault is reported with its pointer`() throws {
        let found = try faults(["title": 1, "color": "red", "other/~": true]) { members in
            _ = members.text("title", .taskTitle)
            _ = members.color("color")
            members.require("id", members.id("id"))
        }

        #expect(found.map(\.pointer) == ["#/value/title", "#/value/color", "#/value/id", "#/value/other~1~0"])
        #expect(found.map(\.code) == [.invalidType, .invalidFormat, .required, .unknownMember])
    }

    @Test func `at most a hundred unknown members are reported`() throws {
        let json = JSON.object((0..<250).map { JSON.Member("m\($0)", .null) })

        #expect(try faults(json) { _ in }.count == 100)
    }

    @Test(arguments: [JSON.null, [], "text", 1])
    func `what is not an object is refused`(json: JSON) {
        #expect(throws: BoardError.invalid("#", .invalidType, "This must be a JSON object.")) { _ = try Members(json) }
    }
}
