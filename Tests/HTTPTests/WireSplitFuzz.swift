// libFuzzer target: the first bytes say how to cut the rest, which must mean the same as in one piece (see Fuzz/run).
import TestSupport

#if FUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzWireSplit(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard input.count > 8 else { return 0 }
    let cuts = input.prefix(8)
    let message = Array(input.dropFirst(8))
    let whole = WireSession()
    whole.feed(message[...])
    whole.end()

    let split = WireSession()
    var rest = message[...]
    var turn = 0
    while !rest.isEmpty {
        // Mostly small pieces; 0 means all that is left.
        let size = Int(cuts[turn % 8])
        split.feed(rest.prefix(size == 0 ? rest.count : size))
        rest = rest.dropFirst(size == 0 ? rest.count : size)
        turn += 1
    }
    split.end()
    check(answers(whole) == answers(split), "\(whole.events) in one piece, \(split.events) in several")
    return 0
}

/// Without what depends on when bytes come: whether a body is waited for, and whether the client is listened to after
/// the end.
private func answers(_ session: WireSession) -> [String] {
    session.events.filter { $0 != "100" && $0 != "end" && $0 != "close" }
}
