import Kanban

/// The text of a little HTML, as Vikunja's editor writes it, or of a text without tags, as older versions have it.
struct MarkupText {
    private(set) var text = ""
    private(set) var hasTags = false
    /// How many lists are open.
    private var depth = 0
    /// The address of the open link, and the byte at which its words begin.
    private var link: (address: String, start: Int)?

    /// Others are text: `a <b and c` is none of HTML's.
    private static let tags: Set<Substring> = [
        "a", "b", "blockquote", "br", "code", "col", "colgroup", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6",
        "hr", "i", "img", "input", "ins", "label", "li", "mark", "mention-user", "ol", "p", "pre", "s", "small", "span",
        "strike", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul",
    ]
    private static let blocks: Set<Substring> = [
        "blockquote", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "p", "pre", "td", "th", "tr", "ul", "ol",
    ]
    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&apos;", "'"),
        ("&nbsp;", " "), ("&amp;", "&"),
    ]

    /// Entries of lists that are deeper are indented as these: else a short text could become one of any size.
    private static let deepest = 8

    init(_ html: String) {
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            text += rest[..<start]
            rest = rest[start...].dropFirst()
            let inner = rest.prefix { $0 != "<" && $0 != ">" }
            if inner.endIndex < rest.endIndex, rest[inner.endIndex] == ">", take(tag: inner) {
                rest = rest[inner.endIndex...].dropFirst()
            } else {
                text.append("<")
            }
        }
        text += rest
        for (entity, character) in Self.entities { text = text.replacing(entity, with: character) }
        if hasTags { text = text.trimmed }
    }

    /// - Parameter inner: what stands between the angle brackets.
    /// - Returns: false if it is no tag.
    private mutating func take(tag inner: Substring) -> Bool {
        let isEnd = inner.first == "/"
        let words = inner.dropFirst(isEnd ? 1 : 0)
        let name = words.prefix { $0.isLetter || $0.isNumber || $0 == "-" }.lowercased()[...]
        let rest = String(words.dropFirst(name.count)).trimmed
        guard Self.tags.contains(name), rest.isEmpty || rest == "/" || rest.contains("=") else { return false }
        hasTags = true
        switch (name, isEnd) {
        case ("br", _): text += "\n"
        // An empty paragraph is an empty line, but not in an entry of a list.
        case ("p", true) where depth == 0: text += "\n"
        case ("ul", false), ("ol", false):
            breakLine()
            depth += 1
        case ("ul", true), ("ol", true): depth = max(0, depth - 1)
        case ("li", false):
            breakLine()
            text += String(repeating: "  ", count: min(max(0, depth - 1), Self.deepest)) + "- "
            if let isChecked = Self.attribute("data-checked", of: inner) {
                text += isChecked == "true" ? "[x] " : "[ ] "
            }
        case ("a", false): link = Self.attribute("href", of: inner).map { ($0, text.utf8.count) }
        case ("a", true):
            guard let (address, start) = link else { break }
            let words = String(decoding: text.utf8.dropFirst(start), as: UTF8.self)
            if words.isEmpty {
                text += address
            } else if words != address, "mailto:\(words)" != address {
                text += " (\(address))"
            }
            link = nil
        default: if isEnd || name == "hr", Self.blocks.contains(name) { breakLine() }
        }
        return true
    }

    /// Ends the line, if it has begun.
    private mutating func breakLine() {
        if let last = text.last, !last.isNewline { text += "\n" }
    }

    /// The value of an attribute in quotation marks.
    private static func attribute(_ name: String, of tag: Substring) -> String? {
        guard let start = tag.firstRange(of: "\(name)=\"") else { return nil }
        let value = tag[start.upperBound...].prefix { $0 != "\"" }
        return value.isEmpty ? nil : String(value)
    }
}
