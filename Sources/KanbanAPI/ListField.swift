extension String {
    /// The elements of a list field without the white space around them; empty elements do not count (RFC 9110 §5.6.1).
    /// A comma inside quotes does not separate.
    var listElements: [Substring] {
        var elements: [Substring] = []
        var start = startIndex
        var isQuoted = false
        for index in indices {
            if self[index] == "\"" { isQuoted.toggle() }
            if self[index] == ",", !isQuoted {
                elements.append(self[start..<index])
                start = self.index(after: index)
            }
        }
        elements.append(self[start...])
        return elements.map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
            .map { element in element.lastIndex { $0 != " " && $0 != "\t" }.map { element[...$0] } ?? "" }
            .filter { !$0.isEmpty }
    }
}
