import HTTP
import Kanban
import KanbanAccess
import Turns

/// Compressed answers and requests (RFC 9110 §8.4) with gzip, the one coding that every client has.
enum ContentCoding {
    /// Smaller answers are not compressed: they fit into one packet.
    static let leastBytes = 1_024
    /// Larger bodies are compressed and decompressed on another thread: it takes milliseconds.
    static let mostOnLoop = 256 * 1_024
}

extension Response {
    /// True if compressing the answer would block the loop for too long.
    func isEncodedAside(for request: Request) -> Bool {
        guard case .bytes(let bytes) = body, bytes.count > ContentCoding.mostOnLoop else { return false }
        return hasGzipForm && request.headers.acceptsGzip
    }

    /// The answer for this client: 412 if it wants another state, 304 if the client has it, gzip if the client takes it.
    // Mutating, so that an unchanged answer is not copied.
    mutating func encode(for request: Request) {
        require(match: request)
        let isCompressed = negotiate(for: request)
        makeConditional(on: request)
        guard isCompressed else { return }
        if case .bytes(let bytes) = body {
            self = withGzip(GzipEncoder.encode(bytes))
        } else {
            self = streamedAsGzip()
        }
    }

    /// Encodes an answer that ``isEncodedAside(for:)`` on another thread. It is not compressed while too much of the
    /// account waits.
    func encodedAside(
        for request: Request, by workers: AccountWorkers, for account: AccountKey
    ) async -> Response {
        var answer = self
        answer.require(match: request)
        guard answer.negotiate(for: request) else { return answer }
        answer.makeConditional(on: request)
        guard case .bytes(let bytes) = answer.body else { return answer }
        do {
            return answer.withGzip(try await workers.run(for: account) { GzipEncoder.encode(bytes) })
        } catch {
            answer.tag = tag
            return answer
        }
    }

    /// True if the body may be compressed: it is large enough, not an image, which is compressed already, and no stream of
    /// events, which would wait in the encoder.
    private var hasGzipForm: Bool {
        switch body {
        case .none, .live: return false
        case .bytes(let bytes): guard bytes.count >= ContentCoding.leastBytes else { return false }
        case .stream: break
        }
        if contentType == ServerSentEvent.contentType || contentType?.hasPrefix("image/") == true { return false }
        return !headers.contains { $0.name == "Content-Encoding" }
    }

    /// Adds `Vary`.
    /// - Returns: true if the body is to be compressed.
    private mutating func negotiate(for request: Request) -> Bool {
        guard hasGzipForm else { return false }
        headers.append(("Vary", "Accept-Encoding"))
        guard request.headers.acceptsGzip else { return false }
        markAsGzip()
        return true
    }

    /// Gives the compressed form a tag of its own (RFC 9110 §8.8.3.3).
    private mutating func markAsGzip() {
        tag = tag.map(EntityTag.gzip)
    }

    /// The compressed form, for an answer that is sent many times; `nil` when there is none.
    func gzipForm() -> Response? {
        guard hasGzipForm, case .bytes(let bytes) = body else { return nil }
        var answer = self
        answer.headers.append(("Vary", "Accept-Encoding"))
        answer.markAsGzip()
        return answer.withGzip(GzipEncoder(isThorough: true).encode(bytes, isLast: true))
    }

    private func withGzip(_ bytes: [UInt8]) -> Response {
        var answer = self
        answer.body = .bytes(bytes)
        answer.headers.append(("Content-Encoding", "gzip"))
        return answer
    }

    private func streamedAsGzip() -> Response {
        guard case .stream(let stream) = body else { return self }
        var answer = self
        answer.headers.append(("Content-Encoding", "gzip"))
        answer.body = .stream(
            BodyStream { writer in
                let gzip = GzipWriter(writer)
                try await stream.produce(gzip)
                try await gzip.finish()
            })
        return answer
    }
}

extension EntityTag {
    private static let suffix = "-gzip\""

    /// The tag of the compressed form.
    static func gzip(_ tag: String) -> String { "\(tag.dropLast())\(suffix)" }

    /// The tag of the plain form, from the tag of either form.
    static func plain(_ tag: Substring) -> Substring {
        tag.hasSuffix(suffix) ? tag.dropLast(suffix.count) + "\"" : tag
    }
}

extension GzipMeter {
    /// - Parameter workers: count what comes out of a large body for the account.
    convenience init(limit: Int, by workers: AccountWorkers, for account: AccountKey) {
        self.init(limit: limit, mostOnLoop: ContentCoding.mostOnLoop) { try await workers.run(for: account, $0) }
    }
}

extension Request {
    /// The most bytes of a body on the wire that may decode to `limit` bytes: gzip makes incompressible data a little
    /// larger.
    func wireLimit(of limit: Int) -> Int {
        headers.hasGzipBody == true ? limit + limit / 1_000 + 1_024 : limit
    }

    /// True if the request's body is compressed.
    var isCoded: Bool { !body.isEmpty && !isDecoded && headers.hasGzipBody == true }

    /// Decompresses the body.
    ///
    /// Memory is taken as the body comes out. While it waits for a thread, only its beginning has come out.
    /// - Parameters:
    ///   - limit: the most bytes of the decompressed body.
    ///   - room: what it takes memory of.
    ///   - workers: decompress a large body for the account.
    /// - Throws: a 400, 413 or 503 problem.
    func decode(limit: Int, room: HandlerRoom, by workers: AccountWorkers, for account: AccountKey) async throws {
        let decoder = GzipDecoder(body, limit: limit) { room.take($0) }
        do {
            if try !decoder.decode(upTo: ContentCoding.mostOnLoop) {
                _ = try await workers.run(for: account) { try decoder.decode(upTo: .max) }
            }
        } catch GzipDecoder.Fault.noRoom {
            throw Problem.noRoom
        } catch GzipDecoder.Fault.tooLarge {
            throw Problem(WireError.decodedTooLarge(limit))
        } catch GzipDecoder.Fault.malformed {
            throw Problem(.malformedCoding)
        }
        decode(to: decoder.output)
    }
}
