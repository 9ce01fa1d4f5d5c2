extension Headers {
    /// True if `Accept-Encoding` accepts gzip, and does not prefer the body uncompressed (RFC 9110 §12.5.3).
    package var acceptsGzip: Bool {
        guard has("accept-encoding") else { return false }
        let codings = QualityList(values("accept-encoding"))
        let gzip = codings.quality(of: ["gzip", "x-gzip"]) ?? codings.quality(of: ["*"]) ?? 0
        return gzip > 0 && gzip >= codings.quality(of: ["identity"]) ?? 0
    }

    /// True if the body is gzip; `nil` for a coding that is not supported.
    package var hasGzipBody: Bool? {
        guard has("content-encoding") else { return false }
        return switch values("content-encoding").joined(separator: ",").lowercased() {
        case "", "identity": false
        case "gzip", "x-gzip": true
        default: nil
        }
    }
}
