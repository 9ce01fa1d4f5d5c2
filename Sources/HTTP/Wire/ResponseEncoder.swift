/// Writes the head of an answer (RFC 9112 §4, §6): the responder's fields and those that are the server's own.
struct ResponseEncoder {
    /// How the end of the body is made known.
    enum Framing: Equatable {
        /// 204 and 304 have no body whatever their fields say.
        case none
        case length(Int)
        case chunked
        case untilClose
    }

    /// What the answer says about the connection.
    enum Persistence: Equatable {
        /// Nothing: HTTP/1.1 keeps it open.
        case implied
        case keepAlive
        case close
    }

    /// More than any head needs besides the responder's own fields; a request's id has up to 128 bytes.
    private static let fixedBytes = 768

    /// No page may show the answer in a frame.
    @inline(__always)
    private static var contentPolicy: StaticString { "\r\nContent-Security-Policy: frame-ancestors 'none'" }
    /// For a year, browsers ask this host with TLS only (RFC 6797).
    @inline(__always)
    private static var transportPolicy: StaticString { "\r\nStrict-Transport-Security: max-age=31536000" }

    static func framing(of response: Response, isHTTP11: Bool) -> Framing {
        if response.status == 204 || response.status == 304 { return .none }
        return switch response.body {
        case .none: .length(0)
        case .bytes(let bytes): .length(bytes.count)
        case .stream, .live: isHTTP11 ? .chunked : .untilClose
        }
    }

    /// Appends the head, making room for it and for `extra` bytes more.
    ///
    /// - Parameter isSecure: true if the connection has TLS.
    static func encode(
        _ response: Response, _ framing: Framing, _ persistence: Persistence, date: HTTPDate, isSecure: Bool = false,
        into output: inout ByteBuffer, reserving extra: Int, from pool: BlockPool
    ) {
        var size = fixedBytes + extra + (response.contentType?.utf8.count ?? 0) + (response.tag?.utf8.count ?? 0)
        if let cacheControl = response.cacheControl { size += cacheControl.utf8.count }
        size += self.size(of: response.headers)
        output.reserve(size, from: pool)
        output.append(StatusLines.beginning(response.status))
        output.append(date)
        switch framing {
        case .none, .untilClose: break
        case .length(let count):
            output.append("\r\nContent-Length: ")
            output.append(decimal: count)
        case .chunked: output.append("\r\nTransfer-Encoding: chunked")
        }
        encode(persistence, into: &output)
        if isSecure { output.append(transportPolicy) }
        if !response.hasContentPolicy { output.append(contentPolicy) }
        if let contentType = response.contentType {
            output.append("\r\nContent-Type: ")
            output.append(line: contentType)
        }
        if let tag = response.tag {
            output.append("\r\nETag: ")
            output.append(line: tag)
        }
        if let cacheControl = response.cacheControl {
            output.append("\r\nCache-Control: ")
            output.append(line: cacheControl)
        }
        if let requestID = response.requestID {
            output.append("\r\nX-Request-Id: ")
            output.append(requestID)
        }
        encode(response.headers, into: &output)
        output.append("\r\n\r\n")
    }

    /// Appends an answer that is at hand, with its body.
    ///
    /// - Returns: the bytes of the body that are sent: none to a HEAD.
    static func encode(
        _ answer: ReadyAnswer, _ id: RequestID, _ persistence: Persistence, isHead: Bool, date: HTTPDate,
        isSecure: Bool = false, into output: inout ByteBuffer, from pool: BlockPool
    ) -> Int {
        let sent = isHead || answer.isUnchanged ? 0 : answer.bodyCount
        output.reserve(
            fixedBytes + answer.fields.utf8CodeUnitCount + answer.tag.count + size(of: answer.headers) + sent,
            from: pool)
        output.append(answer.isUnchanged ? StatusLines.notModified : StatusLines.ok)
        output.append(date)
        if !answer.isUnchanged {
            output.append("\r\nContent-Length: ")
            output.append(decimal: answer.bodyCount)
        }
        encode(persistence, into: &output)
        if isSecure { output.append(transportPolicy) }
        output.append(answer.fields)
        output.append(answer.tag)
        output.append("\r\nX-Request-Id: ")
        output.append(id)
        encode(answer.headers, into: &output)
        output.append("\r\n\r\n")
        if sent > 0 { answer.withBody { output.append($0) } }
        return sent
    }

    private static func encode(_ persistence: Persistence, into output: inout ByteBuffer) {
        switch persistence {
        case .implied: break
        case .keepAlive: output.append("\r\nConnection: keep-alive")
        case .close: output.append("\r\nConnection: close")
        }
    }

    private static func size(of headers: [(name: String, value: String)]) -> Int {
        // By index, here and below: a copy of a field would retain its texts.
        var size = 0
        for index in headers.indices { size += headers[index].name.utf8.count + headers[index].value.utf8.count + 4 }
        return size
    }

    private static func encode(_ headers: [(name: String, value: String)], into output: inout ByteBuffer) {
        for index in headers.indices {
            output.append("\r\n")
            output.append(name: headers[index].name)
            output.append(": ")
            output.append(line: headers[index].value)
        }
    }

    /// Appends the line before the data of a chunk; at most 18 bytes.
    static func encode(chunkSize size: Int, into output: inout ByteBuffer) {
        var shift = (Int.bitWidth - 1 - max(size, 1).leadingZeroBitCount) / 4 * 4
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: size >> shift & 15)
            output.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
            shift -= 4
        }
        output.append("\r\n")
    }
}
