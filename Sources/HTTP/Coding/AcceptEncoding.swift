extension Headers {
    /// Whether `Accept-Encoding` takes gzip, and not rather the body as it is (RFC 9110 §12.5.3).
    package var acceptsGzip: Bool {
        guard has("accept-encoding") else { return false }
        var gzip: Double?
        var identity: Double?
        var others: Double?
        for element in values("accept-encoding").joined(separator: ",").split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch parts.first {
            case "gzip", "x-gzip": gzip = max(gzip ?? 0, quality)
            case "identity": identity = quality
            case "*": others = quality
            default: continue
            }
        }
        let wanted = gzip ?? others ?? 0
        // Without a word of it the body as it is will do, and is nobody's wish.
        return wanted > 0 && wanted >= identity ?? 0
    }

    /// Whether the body is gzip; `nil` for a coding that nobody here takes apart.
    package var hasGzipBody: Bool? {
        guard has("content-encoding") else { return false }
        return switch values("content-encoding").joined(separator: ",").lowercased() {
        case "", "identity": false
        case "gzip", "x-gzip": true
        default: nil
        }
    }
}
