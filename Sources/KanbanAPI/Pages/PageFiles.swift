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
    static func withoutSpaces(_ sheet: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        for (index, byte) in sheet.enumerated() {
            let isBeside =
                "{:;,".utf8.contains(kept.last ?? 0)
                || index + 1 < sheet.count && "{}".utf8.contains(sheet[index + 1])
            if byte != UInt8(ascii: " ") || !isBeside { kept.append(byte) }
        }
        return kept
    }

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
    private static let answers: [String: Response] = all.mapValues { file in
        let hasComments = file.path.hasPrefix("board/") || file.path == "worker.js"
        var bytes = hasComments ? withoutComments(file.bytes) : file.bytes
        if hasComments, file.path.hasSuffix(".css") { bytes = withoutSpaces(bytes) }
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
        let files = all.values.filter { file in
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
