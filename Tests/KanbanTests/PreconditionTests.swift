import Testing

@testable import Kanban

struct PreconditionTests {
    @Test(
        arguments: [
            (Precondition.none, 4, true), (.none, nil, true),
            (Precondition(match: .oneOf([4])), 4, true), (Precondition(match: .oneOf([3, 5])), 4, false),
            (Precondition(match: .any), 4, true), (Precondition(match: .any), nil, false),
            (Precondition(match: .oneOf([])), 4, false), (Precondition(match: .oneOf([4])), nil, false),
            (Precondition(noneMatch: .any), 4, false), (Precondition(noneMatch: .any), nil, true),
            (Precondition(noneMatch: .oneOf([4])), 4, false), (Precondition(noneMatch: .oneOf([3])), 4, true),
        ] as [(Precondition, Revision?, Bool)])
    func `a precondition holds as RFC 9110 has it`(precondition: Precondition, revision: Revision?, holds: Bool) {
        #expect(precondition.holds(for: revision) == holds)
    }
}
