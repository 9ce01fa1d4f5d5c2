/// The candidate that `typed` probably means; `nil` when none is near.
func suggestion(for typed: String, among candidates: [String]) -> String? {
    let near = candidates.map { (name: $0, distance: editDistance(typed, $0)) }.min { $0.distance < $1.distance }
    guard let near, near.distance <= max(1, min(typed.count, near.name.count) / 3) else { return nil }
    return near.name
}

/// The edit distance: insertions, deletions, replacements and swaps of neighbours.
func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var table = [[Int]](repeating: Array(0...right.count), count: left.count + 1)
    for row in 0..<left.count {
        table[row + 1][0] = row + 1
        for column in 0..<right.count {
            let replaced = table[row][column] + (left[row] == right[column] ? 0 : 1)
            var best = min(replaced, table[row][column + 1] + 1, table[row + 1][column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                best = min(best, table[row - 1][column - 1] + 1)
            }
            table[row + 1][column + 1] = best
        }
    }
    return table[left.count][right.count]
}
