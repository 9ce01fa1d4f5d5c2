/// The fields that decide about the framing of the message and the life of the connection, gathered while they are read.
///
/// A malformed field is refused at once (400). One that is well-formed but not supported is noted, so that a malformed
/// field after it still gets 400.
struct FieldSemantics {
    /// Which field holds the host, and the length of the host in its value; a length of 0 when there is none.
    var host = (field: 0, length: 0)
    /// True if the field noted last was Host.
    private(set) var hasNewHost = false
    private(set) var hasClose = false
    private(set) var hasKeepAlive = false
    private(set) var expectsContinue = false
    private var contentLength: Int?
    private var isTooLong = false
    private var hasTransferEncoding = false
    private var hasUnknownCoding = false
    private var hasUnknownExpectation = false

    mutating func note(_ bytes: Span<UInt8>, name: Range<Int>, value: Range<Int>) throws(WireError) {
        hasNewHost = false
        switch name.count {
        case 4 where FieldSyntax.equal(bytes, name, "host"): try noteHost(bytes, value)
        case 6 where FieldSyntax.equal(bytes, name, "expect"):
            if FieldSyntax.equal(bytes, value, "100-continue") {
                expectsContinue = true
            } else {
                hasUnknownExpectation = true
            }
        case 10 where FieldSyntax.equal(bytes, name, "connection"): noteConnection(bytes, value)
        case 14 where FieldSyntax.equal(bytes, name, "content-length"): try noteLength(bytes, value)
        case 17 where FieldSyntax.equal(bytes, name, "transfer-encoding"): try noteCoding(bytes, value)
        default: break
        }
    }

    /// RFC 9112 §6.3.
    func framing(isHTTP11: Bool) throws(WireError) -> BodyFraming {
        if hasTransferEncoding {
            guard contentLength == nil, !isTooLong else {
                throw .malformed("Content-Length and Transfer-Encoding contradict each other.")
            }
            guard isHTTP11 else { throw .malformed("HTTP/1.0 has no transfer codings.") }
            return .chunked
        }
        return contentLength.map { $0 > 0 ? .fixed($0) : .none } ?? .none
    }

    var hasRefusal: Bool { hasUnknownCoding || isTooLong || hasUnknownExpectation }

    /// Why a well-formed request cannot be served, if so.
    func refusal(isHTTP11: Bool) -> WireError? {
        if hasUnknownCoding {
            return WireError(status: 501, detail: "The only transfer coding here is chunked.")
        }
        if isTooLong {
            return WireError(status: 413, detail: "Content-Length has more than 19 digits.")
        }
        if hasUnknownExpectation, isHTTP11 {
            return WireError(status: 417, detail: "The only expectation here is 100-continue.")
        }
        return nil
    }

    private mutating func noteHost(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(WireError) {
        guard host.length == 0 else { throw .malformed("There is more than one Host field.") }
        guard let length = HostSyntax.hostLength(bytes.extracting(value)) else {
            throw .malformed("The Host field is no host with an optional port.")
        }
        host.length = length
        hasNewHost = true
    }

    private mutating func noteConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var options = (close: false, keepAlive: false)
        FieldSyntax.forEachMember(bytes, value) { member in
            if FieldSyntax.equal(bytes, member, "close") { options.close = true }
            if FieldSyntax.equal(bytes, member, "keep-alive") { options.keepAlive = true }
        }
        hasClose = hasClose || options.close
        hasKeepAlive = hasKeepAlive || options.keepAlive
    }

    private mutating func noteLength(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(WireError) {
        guard contentLength == nil, !isTooLong else { throw .malformed("There is more than one Content-Length field.") }
        guard !value.isEmpty else { throw .malformed("Content-Length is empty.") }
        var length: UInt64 = 0
        for index in value {
            guard bytes[index].isDigit else { throw .malformed("Content-Length is no number.") }
            // What does not fit is refused below; here only the digits are of interest.
            if value.count <= 19 { length = length * 10 + UInt64(bytes[index] - 0x30) }
        }
        isTooLong = value.count > 19
        if !isTooLong { contentLength = Int(clamping: length) }
    }

    private mutating func noteCoding(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(WireError) {
        guard !hasTransferEncoding else { throw .malformed("There is more than one Transfer-Encoding field.") }
        hasTransferEncoding = true
        if FieldSyntax.equal(bytes, value, "chunked") { return }
        if value.isEmpty || FieldSyntax.equal(bytes, value, "identity") {
            throw .malformed("Transfer-Encoding is empty or identity.")
        }
        var codings = 0
        var chunked = 0
        var isMalformed = false
        var endsChunked = false
        FieldSyntax.forEachMember(bytes, value) { member in
            codings += 1
            endsChunked = FieldSyntax.equal(bytes, member, "chunked")
            chunked += endsChunked ? 1 : 0
            isMalformed =
                isMalformed || member.isEmpty || FieldSyntax.equal(bytes, member, "identity")
                || !member.allSatisfy { bytes[$0].isTokenCharacter }
        }
        // With chunked twice, or not at the end, the end of the body is unknown (RFC 9112 §6.1, §6.3).
        guard !isMalformed, chunked == 0 || (chunked == 1 && endsChunked) else {
            throw .malformed("Transfer-Encoding is not exactly chunked.")
        }
        hasUnknownCoding = true
    }
}
