/// The elements of a field with weights, such as `Accept: text/html, */*;q=0.8` (RFC 9110 §12.4.2).
package struct QualityList: Sequence {
    package struct Element: Hashable {
        /// In lower case, without its parameters.
        package let value: String
        /// Thousandths, 0–1,000.
        package let quality: Int
        /// True if the value has parameters besides the weight, as only media types may.
        package let hasParameters: Bool
    }

    private let elements: [Element]

    /// Several fields are one list. Malformed elements do not count.
    package init(_ fields: [String]) {
        elements = fields.flatMap { $0.split(separator: ",") }.compactMap(Element.init)
    }

    package func makeIterator() -> IndexingIterator<[Element]> {
        elements.makeIterator()
    }

    /// The highest quality that any of the values has; `nil` when none of them is in the list.
    package func quality(of values: Set<String>) -> Int? {
        elements.lazy.filter { values.contains($0.value) }.map(\.quality).max()
    }
}

extension QualityList.Element {
    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        guard let value = parts.first, !value.isEmpty else { return nil }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
        guard let quality = weight.map({ Self.quality($0.dropFirst(2)) }) ?? 1_000 else { return nil }
        self.init(value: value, quality: quality, hasParameters: parts.count > (weight == nil ? 1 : 2))
    }

    /// Thousandths of `0`–`1` with at most three decimals.
    private static func quality(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var thousandths = 0
        for place in decimals.utf8 { thousandths = thousandths * 10 + Int(place - 0x30) }
        for _ in decimals.utf8.count..<3 { thousandths *= 10 }
        let quality = (whole == "1" ? 1_000 : 0) + thousandths
        return quality <= 1_000 ? quality : nil
    }
}
