import HTTP
import Kanban

extension Route.Content {
    /// Bytes of memory for each byte of the body: a large document is held as text and parsed.
    var weight: Int {
        switch self {
        case .file: 3
        // The database copies the bytes.
        case .bytes: 2
        default: 1
        }
    }

    /// True if the handler parses the body as one value.
    var isParsed: Bool {
        switch self {
        case .none, .optionalJSON, .sized, .file, .bytes: false
        case .json, .mergePatch: true
        }
    }

    var limit: Int? {
        switch self {
        case .sized(let limit), .file(let limit), .bytes(let limit): limit
        case .none, .json, .optionalJSON, .mergePatch: nil
        }
    }

    /// 415 unless the route takes the body's media type and content coding.
    func fault(in head: Request) -> Problem? {
        switch self {
        case .none, .optionalJSON: return nil
        case .json, .mergePatch, .sized, .file, .bytes: break
        }
        if head.headers.hasGzipBody == nil {
            return Problem(
                .unsupportedMediaType, "Send the body as gzip, or as it is, without Content-Encoding.",
                headers: [("Accept-Encoding", "gzip, identity")])
        }
        if case .bytes = self { return nil }
        // The usual spelling: parsing it took 8 % of a creation.
        if head.headers.count("content-type") == 1, head.headers.has("content-type", equalTo: "application/json") {
            return nil
        }
        var types = ["application/json"]
        if case .mergePatch = self { types.append("application/merge-patch+json") }
        if case .file = self { types.append("text/csv") }
        let values = head.headers.values("content-type")
        if values.count == 1, let type = MediaType(values[0]), types.contains(type.essence),
            // What a table is written in is found in it: a browser names none, and a spreadsheet a wrong one.
            type.isUTF8 || type.essence == "text/csv"
        {
            return nil
        }
        let accepted = types.joined(separator: ", ")
        var headers: [(name: String, value: String)] = [("Accept", accepted)]
        if case .mergePatch = self { headers.append(("Accept-Patch", accepted)) }
        return Problem(.unsupportedMediaType, "Send the body with Content-Type: \(types[0]).", headers: headers)
    }
}

/// The media type of a body (RFC 9110 §8.3.1).
struct MediaType {
    /// Type and subtype, in lower case.
    let essence: String
    private let charset: String?

    init?(_ field: String) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
            .map { String($0).trimmed.lowercased() }
        guard let essence = parts.first, essence.split(separator: "/").count == 2 else { return nil }
        self.essence = essence
        charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
            .map { $0.dropFirst("charset=".count).trimmingPrefix("\"") }
            .map { String($0.hasSuffix("\"") ? $0.dropLast() : $0) }
    }

    /// JSON is UTF-8; other charsets are refused.
    var isUTF8: Bool {
        charset == nil || charset == "utf-8" || charset == "utf8"
    }
}
