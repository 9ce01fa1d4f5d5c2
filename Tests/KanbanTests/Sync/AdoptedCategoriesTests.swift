import Testing

@testable import Kanban

struct AdoptedCategoriesTests {
    private let made = ID(high: 1, low: 1)
    private let holder = ID(high: 1, low: 2)
    private let other = ID(high: 1, low: 3)

    private func category(of operation: Mutation.Operation) -> TaskEdit.CategoryChoice? {
        switch Mutation(operation, on: other).replacing(categories: [made: holder]).operation {
        case .createTask(_, let edit), .putTask(_, let edit), .patchTask(let edit): edit.category
        default: nil
        }
    }

    @Test func `tasks go into the category that has the name`() {
        #expect(category(of: .createTask(title: "a", TaskEdit(category: .id(made)))) == .id(holder))
        #expect(category(of: .putTask(title: "a", TaskEdit(category: .id(made)))) == .id(holder))
        #expect(category(of: .patchTask(TaskEdit(category: .id(made)))) == .id(holder))
        #expect(category(of: .patchTask(TaskEdit(category: .id(other)))) == .id(other))
        #expect(category(of: .patchTask(TaskEdit(category: .named("Work")))) == .named("Work"))
    }

    @Test func `edits of the category are of the one that has the name, and a creation is not`() {
        func target(_ operation: Mutation.Operation) -> ID? {
            Mutation(operation, on: made).replacing(categories: [made: holder]).target
        }

        #expect(target(.patchCategory { $0.name = "Work" }) == holder)
        #expect(target(.deleteCategory) == holder)
        #expect(target(.createCategory { $0.name = "Work" }) == made)
        #expect(target(.deleteTask) == made, "a task may have the id of a category")
    }

    @Test func `references follow, if they are of categories`() {
        let categories = [made: holder]

        #expect(
            Reference(member: "categoryId", kind: .category, id: made).replacing(categories: categories).id == holder)
        #expect(Reference(member: "before", kind: .neighbour, id: made).replacing(categories: categories).id == made)
    }
}
