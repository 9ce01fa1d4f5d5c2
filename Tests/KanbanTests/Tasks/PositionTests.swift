import TestSupport
import Testing

@testable import Kanban

struct PositionTests {
    @Test func `places at the end of a column stay in order and short`() {
        var places = [Position(after: nil, before: nil)]

        for _ in 0..<100_000 { places.append(Position(after: places.last, before: nil)) }

        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        #expect(places.allSatisfy { $0.text.utf8.count <= 4 })
    }

    @Test func `places at the front of a column stay in order and short`() {
        var places = [Position(after: nil, before: nil)]

        for _ in 0..<100_000 { places.append(Position(after: nil, before: places.last)) }

        #expect(zip(places, places.dropFirst()).allSatisfy { $0 > $1 })
        #expect(places.allSatisfy { $0.text.utf8.count <= 5 })
    }

    @Test func `a place that nothing can come before is none`() {
        let least = "A" + String(repeating: "0", count: 26)
        let low = "B" + String(repeating: "0", count: 25)

        #expect(Position(reading: least) == nil && Position(reading: least.dropLast() + "1") == nil)
        #expect(Position(reading: low).map { Position(after: nil, before: $0) < $0 } == true)
    }

    @Test func `a place after which places would grow is none`() throws {
        let greatest = String(repeating: "z", count: 27)
        let high = try #require(Position(reading: "y" + String(repeating: "z", count: 25)))

        #expect(Position(reading: greatest) == nil && Position(reading: greatest + "1") == nil)
        let next = Position(after: high, before: nil)
        #expect(next > high && next.text == "z" + String(repeating: "0", count: 26))
    }

    @Test(arguments: ["a0", "a1", "Zz", "a0V", "b10"])
    func `a search begins right before a place, from below and from above`(text: String) throws {
        let place = try #require(Position(reading: text))
        let below = Position(after: nil, before: place)
        let above = Position(after: place, before: nil)

        #expect(below < place.justBelow && place.justBelow < place)
        #expect(place < place.justAbove && place.justAbove < above)
        #expect(place.justAbove < Position(after: place, before: above))
        #expect(Position(after: below, before: place) < place.justBelow)
    }

    @Test func `there is always a place between two`() {
        var random = SeededRandom(seed: 7)
        var places = [Position(after: nil, before: nil)]

        for _ in 0..<20_000 {
            let index = Int.random(in: 0...places.count, using: &random)
            let lower = index > 0 ? places[index - 1] : nil
            let upper = index < places.count ? places[index] : nil
            let place = Position(after: lower, before: upper)
            #expect(lower.map { $0 < place } ?? true && upper.map { place < $0 } ?? true)
            places.insert(place, at: index)
        }
    }

    @Test func `the same spot grows a place by one digit in five inserts at the most`() {
        let lower = Position(after: nil, before: nil)
        var upper = Position(after: lower, before: nil)

        for count in 1...1_000 {
            let place = Position(after: lower, before: upper)
            #expect(lower < place && place < upper && place.text.utf8.count <= 3 + count / 5)
            upper = place
        }
    }

    @Test(arguments: [1, 2, 3, 64, 1_000])
    func `places are spread in order and stay short`(count: Int) {
        let lower = Position(text: "a0V")
        let upper = Position(text: "a0W")

        let places = Position.spread(count, after: lower, before: upper)

        #expect(places.count == count)
        let all = [lower] + places + [upper]
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        #expect(places.allSatisfy { $0.text.utf8.count <= 7 })
    }

    @Test func `a spread over a whole column is as short as appending`() {
        let places = Position.spread(5_000, after: nil, before: nil)

        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        #expect(places.allSatisfy { $0.text.utf8.count <= 4 })
    }
}
