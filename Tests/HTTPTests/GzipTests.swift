import Locks
import TestSupport
import Testing

@testable import HTTP

struct GzipTests {
    /// Text that shrinks, of the given size.
    private func text(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 7)
        return (0..<count).map { _ in UInt8(ascii: "a") + UInt8.random(in: 0..<4, using: &random) }
    }

    private func decoded(_ gzip: [UInt8], limit: Int = .max) throws -> [UInt8] {
        let decoder = GzipDecoder(gzip, limit: limit)
        #expect(try decoder.decode(upTo: .max))
        return decoder.output
    }

    @Test(arguments: [0, 1, 1_024, 65_536, 65_537, 1_000_000])
    func `what was compressed comes out as it was`(count: Int) throws {
        let body = text(count)

        let gzip = GzipEncoder.encode(body)

        #expect(try decoded(gzip) == body)
        #expect(Array(gzip.prefix(3)) == [0x1f, 0x8b, 8])
        #expect(count < 1_024 || gzip.count < count / 2)
    }

    @Test func `an encoder that was used before starts again`() throws {
        let bodies = (1...20).map { text($0 * 999) }

        for body in bodies { #expect(try decoded(GzipEncoder.encode(body)) == body) }
        #expect(GzipEncoder.encode(bodies[3]) == GzipEncoder.encode(bodies[3]))
    }

    @Test func `pieces become one stream`() throws {
        let body = text(300_000)
        let encoder = GzipEncoder()
        var gzip: [UInt8] = []
        var rest = body[...]
        for size in [1, 0, 70_000, 3, 100_000] {
            gzip += encoder.encode(Array(rest.prefix(size)), isLast: false)
            rest = rest.dropFirst(size)
        }
        gzip += encoder.encode(Array(rest), isLast: false) + encoder.encode([], isLast: true)

        #expect(try decoded(gzip) == body)
    }

    @Test func `several members are one body`() throws {
        #expect(try decoded(GzipEncoder.encode(text(10)) + GzipEncoder.encode(text(20))) == text(10) + text(20))
    }

    @Test func `what is larger than it may be is noticed before it is whole`() throws {
        let bomb = GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20))
        let decoder = GzipDecoder(bomb, limit: 1 << 20)

        #expect(throws: GzipDecoder.Fault.tooLarge) { try decoder.decode(upTo: .max) }

        #expect(bomb.count < 1 << 19)
        #expect(decoder.output.count < 2 << 20)
        #expect(try decoded(GzipEncoder.encode(text(1 << 20)), limit: 1 << 20).count == 1 << 20)
    }

    @Test func `memory is taken before the body comes out`() {
        let room = Locked((taken: 0, left: 256 << 10))
        let decoder = GzipDecoder(GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20)), limit: .max) { bytes in
            room.withLock { room in
                guard bytes <= room.left else { return false }
                room = (room.taken + bytes, room.left - bytes)
                return true
            }
        }

        #expect(throws: GzipDecoder.Fault.noRoom) { try decoder.decode(upTo: .max) }

        #expect(decoder.output.count <= room.withLock { $0.taken })
    }

    @Test func `a stretch at a time`() throws {
        let body = text(500_000)
        let decoder = GzipDecoder(GzipEncoder.encode(body), limit: .max)

        #expect(try !decoder.decode(upTo: 100_000))
        #expect((100_000..<300_000).contains(decoder.output.count))
        #expect(try decoder.decode(upTo: .max))
        #expect(decoder.output == body)
    }

    @Test func `a stretch ends in empty members too`() throws {
        let member = GzipEncoder.encode([])
        let decoder = GzipDecoder([[UInt8]](repeating: member, count: 1_000).flatMap(\.self), limit: .max)

        #expect(try !decoder.decode(upTo: 10 * member.count))
        #expect(try decoder.decode(upTo: .max))
        #expect(decoder.output.isEmpty)
    }

    @Test func `what is cut off, changed or no gzip at all is a fault`() throws {
        let gzip = GzipEncoder.encode(text(5_000))
        var changed = gzip
        changed[gzip.count - 6] ^= 1
        for broken in [
            Array(gzip.dropLast()), Array(gzip.prefix(9)), Array(gzip.prefix(500)), changed, gzip + [1, 2, 3],
            Array("no gzip at all, but some text".utf8), [0x1f],
        ] {
            #expect(throws: GzipDecoder.Fault.malformed) { try GzipDecoder(broken, limit: .max).decode(upTo: .max) }
        }
    }

    // MARK: Counting

    /// Counts a body that comes in pieces; aside at once.
    private func meter(_ limit: Int, mostOnLoop: Int = .max) -> GzipMeter {
        GzipMeter(limit: limit, mostOnLoop: mostOnLoop) { $0() }
    }

    @Test(arguments: [(99_999, true), (100_000, false), (100_001, false)])
    func `a body is counted as it comes`(limit: Int, isTooLarge: Bool) {
        let gzip = GzipEncoder.encode(text(60_000)) + GzipEncoder.encode(text(40_000))
        let meter = meter(limit)

        for count in 0...gzip.count { #expect(meter.count(Array(gzip.prefix(count))) == nil) }

        #expect(meter.isTooLarge == isTooLarge)
    }

    @Test func `the beginning of a bomb is enough`() {
        let bomb = GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20))
        let meter = meter(1 << 20)

        #expect(meter.count(Array(bomb.prefix(900))) == nil && !meter.isTooLarge)
        #expect(meter.count(Array(bomb.prefix(1_200))) == nil && meter.isTooLarge)
    }

    @Test func `what takes long is counted aside`() async throws {
        let bomb = GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20))
        let meter = meter(8 << 20, mostOnLoop: 256 << 10)

        let rest = try #require(meter.count(Array(bomb.prefix(2_000))))
        #expect((1_500..<2_000).contains(rest.count) && !meter.isTooLarge)
        await meter.countAside(rest)
        #expect(!meter.isTooLarge)
        let more = try #require(meter.count(Array(bomb.prefix(10_000))))
        #expect(more == Array(bomb[2_000..<10_000]))
        await meter.countAside(more)
        #expect(meter.isTooLarge)
    }

    @Test func `empty members are counted aside, too`() throws {
        let member = GzipEncoder.encode([])
        let members = [[UInt8]](repeating: member, count: 1_000).flatMap(\.self)

        let rest = try #require(meter(1 << 20, mostOnLoop: 100).count(members))

        #expect(rest.count > members.count - 200)
    }

    @Test func `what is no gzip is left to the decoder`() {
        let bomb = GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20))
        let changed = Array(bomb.prefix(50)) + [UInt8](repeating: 0xff, count: 50) + bomb[100...]
        let meter = meter(1 << 20)

        #expect(meter.count(changed) == nil && !meter.isTooLarge && meter.memory == 0)
        #expect(meter.count(changed + bomb) == nil && !meter.isTooLarge)
    }

    @Test func `what cannot be counted aside has no room`() async throws {
        let meter = GzipMeter(limit: 1 << 20, mostOnLoop: 1) { _ in throw CancellationError() }

        await meter.countAside(try #require(meter.count(GzipEncoder.encode([UInt8](repeating: 0, count: 1 << 20)))))

        #expect(meter.hasNoRoom && !meter.isTooLarge)
    }

    // MARK: Fields

    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("deflate, gzip;q=1.0, br", true), ("x-gzip", true),
            ("GZIP ; q=0.5", true), ("br", false), ("*", true), ("*;q=0", false), ("gzip;q=0", false),
            ("gzip;q=0, *", false), ("gzip;q=0.000, identity", false), ("identity;q=0, *", true),
            ("identity;q=0, gzip;q=0.1", true), ("identity, gzip;q=0.5", false), ("gzip;q=0.5, identity;q=0.5", true),
            ("identity;q=0.2, gzip;q=0.4", true), ("identity", false), ("identity;q=0", false), ("gzip;q=x", false),
        ] as [(String?, Bool)])
    func `Accept-Encoding is asked`(field: String?, accepts: Bool) {
        let headers = Headers(field.map { [("Accept-Encoding", $0)] } ?? [])

        #expect(headers.acceptsGzip == accepts)
    }

    @Test(
        arguments: [
            (nil, false), ("identity", false), ("gzip", true), ("X-GZIP", true), ("br", nil), ("gzip, gzip", nil),
            ("gzip, identity", nil), ("deflate", nil),
        ] as [(String?, Bool?)])
    func `Content-Encoding is asked`(field: String?, isGzip: Bool?) {
        #expect(Headers(field.map { [("Content-Encoding", $0)] } ?? []).hasGzipBody == isGzip)
    }
}
