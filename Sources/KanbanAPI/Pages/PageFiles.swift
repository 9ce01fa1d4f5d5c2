import CWeb
import HTTP
import Locks

/// The files of the pages in the binary.
struct PageFile: Sendable {
    let path: String
    let bytes: [UInt8]

    /// By path, such as `board/sync.js`.
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

    /// The same, with modules that only one other needs in one file with that, and so the screens beside the board, which a page
    /// loads after its first card: each file is compressed by itself, and five of them take a fifth more than one.
    static let sent: [String: PageFile] = {
        var files = all
        for group in groups {
            let paths = group.map { "board/\($0).js" }
            let modules = paths.compactMap { all[$0] }
            guard let last = paths.last else { continue }
            for path in paths { files[path] = nil }
            files[last] = PageFile(path: last, bytes: Array(joined(modules).utf8))
        }
        return files
    }()

    /// Each in the order in which they need each other, and named by its last. No two of one use one name at their top.
    private static let groups = [
        ["forms", "push", "settings", "account", "screens"],
        ["repeat-field", "choice", "fields", "notes", "visit", "editor-form", "editor"],
        ["glide", "archive", "welcome", "board"],
        ["drag", "notices", "picks", "app"],
    ]

    /// One module of several: what they take from others once, and nothing from each other.
    static func joined(_ modules: [PageFile]) -> String {
        let own = Set(modules.map { "./\($0.path.split(separator: "/").last ?? "")" })
        var imports: [String: Set<String>] = [:]
        var body: [Substring] = []
        for module in modules {
            for line in String(decoding: module.bytes, as: UTF8.self).split(separator: "\n") {
                // `import { a, b } from "./c.js";`, or the same to pass it on.
                let words = line.split(separator: "\"")
                guard line.hasPrefix("import { ") || line.hasPrefix("export { "), words.count == 3,
                    words[0].hasSuffix(" } from ")
                else {
                    body.append(line)
                    continue
                }
                let path = String(words[1])
                let names = words[0].dropFirst(9).dropLast(8).split(separator: ", ").map(String.init)
                if !own.contains(path) { imports[path, default: []].formUnion(names) }
            }
        }
        let heads = imports.sorted { $0.key < $1.key }.map { path, names in
            "import { \(names.sorted().joined(separator: ", ")) } from \"\(path)\";"
        }
        return heads.joined(separator: "\n") + "\n" + body.joined(separator: "\n") + "\n"
    }

    /// A module or a style sheet without its comments, its types and its indentation, a third of what a browser would load.
    /// Lines keep their numbers. What follows `//` beside code stays. No text goes over the end of a line.
    static func withoutComments(_ module: [UInt8]) -> [UInt8] {
        var isWithin = false
        let lines = module.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let words = line.drop { $0 == UInt8(ascii: " ") }
            let ends = line.suffix(2).elementsEqual("*/".utf8)
            defer { isWithin = (isWithin || words.starts(with: "/*".utf8) && !words.contains("*/".utf8)) && !ends }
            let isComment =
                isWithin || words.starts(with: "//".utf8)
                || words.starts(with: "/*".utf8) && (ends || !words.contains("*/".utf8))
            return isComment ? line.prefix(0) : withoutTypes(words)
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// A line without `/** @type {string} */ ` and the like.
    private static func withoutTypes(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
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

    /// A module without the spaces around marks that mean nothing, without empty lines, and with as few lines as need not be
    /// looked at: a slash or a back quote that is in no text may begin a pattern, a comment or a template, in which a space is one.
    static func withoutSpaces(module: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        for line in module.split(separator: UInt8(ascii: "\n")) {
            let short = withoutSpaces(line: line)
            kept += short ?? Array(line)
            if short == nil || !"{;,(".utf8.contains(line.last ?? 0) { kept.append(UInt8(ascii: "\n")) }
        }
        return kept
    }

    /// - Returns: `nil` for a line that has to be left as it is.
    private static func withoutSpaces(line: ArraySlice<UInt8>) -> [UInt8]? {
        var kept: [UInt8] = []
        kept.reserveCapacity(line.count)
        var isText = false
        var isEscaped = false
        // Whether a space would stand after a mark, and whether one is held back until it is known what follows.
        var isAfterMark = false
        var isHeld = false
        for byte in line {
            if !isText, byte == UInt8(ascii: "/") || byte == UInt8(ascii: "`") { return nil }
            if !isText, byte == UInt8(ascii: " ") {
                isHeld = !isAfterMark
                continue
            }
            let isMark = !isText && marks[Int(byte)]
            if isHeld, !isMark { kept.append(UInt8(ascii: " ")) }
            (isHeld, isAfterMark) = (false, isMark)
            if byte == UInt8(ascii: "\""), !isEscaped { isText.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            kept.append(byte)
        }
        return kept
    }

    /// By byte, whether a space beside it means nothing.
    private static let marks: [Bool] = (0..<256).map { "=!?:,{}<>;()&|".utf8.contains(UInt8($0)) }

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
        let hasComments = file.path.hasPrefix("board/") || file.path == "worker.js"
        var bytes = hasComments ? withoutComments(file.bytes) : file.bytes
        if hasComments {
            bytes = file.path.hasSuffix(".css") ? withoutSpaces(sheet: bytes) : withoutSpaces(module: bytes)
        }
        return .page(file.path == "worker.js" ? Array(shell.utf8) + bytes : bytes, type: file.mediaType)
    }

    var mediaType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "md": "text/markdown; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
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
                || file.path.hasPrefix("board/") || file.path.hasPrefix("icons/")
        }.sorted { $0.path < $1.path }
        let versioned = files + [all["worker.js"]].compactMap { $0 }
        let version = EntityTag.fingerprint(versioned.flatMap { Array($0.path.utf8) + $0.bytes })
        let addresses = files.map { $0.path == "board.html" ? "\"/\"" : "\"/\($0.path)\"" }
        return
            "const shell = {version: \"\(String(version, radix: 36))\", files: [\(addresses.joined(separator: ", "))]};\n"
    }()
}
