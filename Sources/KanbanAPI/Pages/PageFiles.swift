import CWeb
import HTTP
import Locks

/// The files of the pages in the binary.
struct PageFile: Sendable {
    let path: String
    let bytes: [UInt8]

    /// By path, such as `client/sync.js`.
    static let all: [String: PageFile] = {
        var files: [String: PageFile] = [:]
        for file in UnsafeBufferPointer(start: web_files, count: Int(web_file_count)) {
            // Unsafe buffers of constants in the binary: they live as long as the process and never change.
            let path = String(cString: file.path)
            let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: Int(file.count)))
            files[path] = PageFile(path: path, bytes: bytes)
        }
        return files
    }()

    /// What is sent. Modules that are loaded together are one file: each file is compressed by itself, and five of them take
    /// a fifth more than one.
    static let sent: [String: PageFile] = {
        let targets = Dictionary(
            bundles.flatMap { paths in paths.map { ($0, paths.last ?? $0) } }, uniquingKeysWith: { first, _ in first })
        var files = all.mapValues { $0.path.hasSuffix(".js") ? $0.aimed(at: targets) : $0 }
        for paths in bundles {
            let one = Array(joined(paths.compactMap { files[$0] }).utf8)
            for path in paths { files[path] = nil }
            if let last = paths.last { files[last] = PageFile(path: last, bytes: one) }
        }
        return files
    }()

    /// This module, with what it takes from a module that is sent in another taken from that one.
    private func aimed(at targets: [String: String]) -> PageFile {
        let folder = path.prefix { $0 != "/" }
        let aimed = Self.lines(bytes).map { line -> ArraySlice<UInt8> in
            guard let (names, file) = Self.import(line), file.hasPrefix("./"),
                let target = targets["\(folder)/\(file.dropFirst(2))"]
            else { return line }
            return ArraySlice("\(names)\"./\(target.dropFirst(folder.count + 1))\";".utf8)
        }
        return PageFile(path: path, bytes: Array(aimed.joined(separator: Self.newline)))
    }

    private static let newline = [UInt8(ascii: "\n")]

    /// As bytes: texts take ten times as long, and the first request of a page waits for all files.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: newline[0], omittingEmptySubsequences: false)
    }

    /// `import { a, b } from "./c.js";`, or the same to pass it on: what is before the path, and the path.
    private static func `import`(_ line: ArraySlice<UInt8>) -> (names: Substring, file: Substring)? {
        guard line.starts(with: "import { ".utf8) || line.starts(with: "export { ".utf8) else { return nil }
        let words = String(decoding: line, as: UTF8.self).split(separator: "\"")
        guard words.count == 3, words[0].hasSuffix(" } from ") else { return nil }
        return (words[0], words[1])
    }

    /// Each in an order in which no module needs a later one at its top, and named for the last. No two of a bundle use one name at
    /// their top. The library for apps, in the order of the smallest gzip; the board; the screens beside it, which a page loads
    /// after its first card.
    static let bundles = [
        [
            "recurrence", "words", "series", "sync", "issues", "mirror", "views", "steps", "trash", "board",
            "connection", "images", "access", "feed", "engine", "sender", "store", "live", "catch-up",
            "kanbase",
        ].map { "client/\($0).js" },
        [
            "device", "page", "api", "words", "dates", "answers", "model", "repeat", "archive", "actions", "welcome",
            "glide", "board", "quick", "add", "drag", "choice", "reminders", "conflicts", "repeat-field", "fields",
            "notes", "visit", "editor-form", "editor", "providers", "notices", "menu", "picks", "shell",
        ].map { "board/\($0).js" },
        ["forms", "push", "imports", "settings", "account", "screens"].map { "board/\($0).js" },
    ]

    /// One module of several: what they take from others once, and nothing from each other.
    static func joined(_ modules: [PageFile]) -> String {
        let own = Set(modules.map { "./\($0.path.split(separator: "/").last ?? "")" })
        var imports: [String: Set<String>] = [:]
        var body: [ArraySlice<UInt8>] = []
        for module in modules {
            for line in lines(module.bytes) where !line.isEmpty {
                guard let (head, file) = Self.import(line) else {
                    body.append(line)
                    continue
                }
                let path = String(file)
                let names = head.dropFirst(9).dropLast(8).split(separator: ", ").map(String.init)
                if !own.contains(path) { imports[path, default: []].formUnion(names) }
            }
        }
        let heads = imports.sorted { $0.key < $1.key }.map { path, names in
            "import { \(names.sorted().joined(separator: ", ")) } from \"\(path)\";"
        }
        let text = Array(body.joined(separator: newline))
        return heads.joined(separator: "\n") + "\n" + String(decoding: text, as: UTF8.self) + "\n"
    }

    /// A module or a style sheet without its comments, its types and its indentation, a third of what a browser would load.
    /// Lines keep their numbers. What follows `//` beside code stays. No text goes over the end of a line.
    static func withoutComments(_ module: [UInt8]) -> [UInt8] {
        var isWithin = false
        let kept = lines(module).map { line in
            let words = line.drop { $0 == UInt8(ascii: " ") }
            let ends = line.suffix(2).elementsEqual("*/".utf8)
            defer { isWithin = (isWithin || words.starts(with: "/*".utf8) && !words.contains("*/".utf8)) && !ends }
            let isComment =
                isWithin || words.starts(with: "//".utf8)
                || words.starts(with: "/*".utf8) && (ends || !words.contains("*/".utf8))
            return isComment ? line.prefix(0) : withoutTypes(words)
        }
        return Array(kept.joined(separator: newline))
    }

    /// A line without `/** @type {string} */ ` and the like.
    private static func withoutTypes(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // The search for a range takes a hundred times as long as that for a byte, and few lines have this one.
        guard line.contains(UInt8(ascii: "@")) else { return line }
        var rest = line
        var code: ArraySlice<UInt8> = []
        while let start = rest.firstRange(of: "/** @".utf8),
            let end = rest[start.upperBound...].firstRange(of: "*/".utf8)
        {
            code += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
            if rest.first == UInt8(ascii: " ") { rest.removeFirst() }
        }
        return code.isEmpty && rest.startIndex == line.startIndex ? line : code + rest
    }

    /// A style sheet without the spaces that mean nothing in it. None of its texts has one beside these marks.
    static func withoutSpaces(sheet: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        for (index, byte) in sheet.enumerated() {
            let isBeside =
                "{:;,".utf8.contains(kept.last ?? 0)
                || index + 1 < sheet.count && "{}".utf8.contains(sheet[index + 1])
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: " ") && isBeside { continue }
            if byte == UInt8(ascii: "}"), kept.last == UInt8(ascii: ";") { kept.removeLast() }
            kept.append(byte)
        }
        return kept
    }

    /// A module without the spaces and semicolons that mean nothing, without empty lines, and with as few lines as need not be
    /// looked at: a slash that is in no text may begin a pattern or a comment, in which a space is one.
    static func withoutSpaces(module: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        for line in module.split(separator: newline[0]) {
            let short = withoutSpaces(line: line)
            if short?.first == UInt8(ascii: "}"), kept.last == UInt8(ascii: ";") { kept.removeLast() }
            kept += short ?? Array(line)
            if short == nil || !"{};,([".utf8.contains(line.last ?? 0) { kept += newline }
        }
        return kept
    }

    /// - Returns: `nil` for a line that has to be left as it is.
    private static func withoutSpaces(line: ArraySlice<UInt8>) -> [UInt8]? {
        var kept: [UInt8] = []
        kept.reserveCapacity(line.count)
        // What ends the text or the template.
        var quote: UInt8?
        // Of the braces around code in a template.
        var depth = 0
        var isEscaped = false
        // True if the last byte is a mark.
        var isAfterMark = false
        // True if a space is held back until it is known what follows: two signs would be another one.
        var isHeld = false
        for byte in line {
            if quote == nil, byte == UInt8(ascii: "/") { return nil }
            if quote == nil, byte == UInt8(ascii: " ") {
                isHeld = true
                continue
            }
            let isMark = quote == nil && marks[Int(byte)]
            let isSameSign = byte == kept.last && "+-".utf8.contains(byte)
            if isHeld, !isMark && !isAfterMark || isSameSign { kept.append(UInt8(ascii: " ")) }
            (isHeld, isAfterMark) = (false, isMark)
            if quote == UInt8(ascii: "`") {
                if byte == UInt8(ascii: "{"), depth > 0 || kept.last == UInt8(ascii: "$") { depth += 1 }
                if byte == UInt8(ascii: "}"), depth > 0 { depth -= 1 }
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`"), !isEscaped, quote ?? byte == byte {
                // A template in a template.
                if depth > 0 { return nil }
                quote = quote == nil ? byte : nil
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if isMark, byte == UInt8(ascii: "}"), kept.last == UInt8(ascii: ";") { kept.removeLast() }
            kept.append(byte)
        }
        return quote == nil ? kept : nil
    }

    /// By byte, true if a space beside it means nothing.
    private static let marks: [Bool] = (0..<256).map { "=!?:,{}<>;()[]&|*%+-".utf8.contains(UInt8($0)) }

    /// Compressed once, at the first request.
    private static let gzipForms = Locked<[String: Response]>([:])

    /// The answer with the file; `nil` when there is none.
    static func answer(_ path: String, to request: Request) -> Response? {
        guard let answer = answers[path], request.headers.acceptsGzip else { return answers[path] }
        if let form = gzipForms.withLock({ $0[path] }) { return form }
        guard let form = answer.gzipForm() else { return answer }
        gzipForms.withLock { $0[path] = form }
        return form
    }

    /// The answers of all files.
    private static let answers: [String: Response] = sent.mapValues { file in
        let hasComments =
            file.path.hasPrefix("board/") || file.path == "client/kanbase.js" || file.path == "worker.js"
        var bytes = hasComments ? withoutComments(file.bytes) : file.bytes
        if hasComments {
            bytes = file.path.hasSuffix(".css") ? withoutSpaces(sheet: bytes) : withoutSpaces(module: bytes)
        }
        var answer = Response.page(file.path == "worker.js" ? Array(shell.utf8) + bytes : bytes, type: file.mediaType)
        // Apps of any origin load the library. Nothing of an account is in it.
        if library.contains(file.path) { answer.headers.append(("Access-Control-Allow-Origin", "*")) }
        return answer
    }

    static let library = ["client/kanbase.js", "kanbase.d.ts"]

    var mediaType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "md": "text/markdown; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "ts": "application/typescript; charset=utf-8"
        case "json": "application/json"
        case "yaml": "application/yaml; charset=utf-8"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        default: "application/octet-stream"
        }
    }

    /// The files that the service worker caches for offline use, and their version, its own text included: the first
    /// line of its script, so that a browser notices a new version.
    private static let shell: String = {
        let files = sent.values.filter { file in
            file.path == "board.html" || file.path == "manifest.webmanifest"
                || file.path.hasPrefix("board/") || file.path.hasPrefix("icons/") || file.path == "client/kanbase.js"
        }.sorted { $0.path < $1.path }
        let versioned = files + [all["worker.js"]].compactMap { $0 }
        let version = EntityTag.fingerprint(versioned.flatMap { Array($0.path.utf8) + $0.bytes })
        let addresses = files.map { $0.path == "board.html" ? "\"/\"" : "\"/\($0.path)\"" }
        return
            "const shell = {version: \"\(String(version, radix: 36))\", files: [\(addresses.joined(separator: ", "))]};\n"
    }()
}
