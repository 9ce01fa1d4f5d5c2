// libFuzzer target: any bytes to the connection machine, that is the parser, the body decoder and the order of answers.
// It must not crash, it must come to rest, and after an error it must answer nothing more (see Fuzz/run).

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestParser(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let session = WireSession()
    session.feed(Array(UnsafeBufferPointer(start: start, count: count))[...])
    session.end()
    session.pass(.seconds(1000))
    precondition(session.hasClosed, "a connection without a client stays open: \(session.events)")
    let answers = session.events.filter { $0 != "100" && $0 != "end" && $0 != "close" }
    let closing = answers.firstIndex { $0.hasSuffix("closing") } ?? answers.endIndex
    precondition(closing >= answers.count - 1, "something is answered after the end: \(session.events)")
    return 0
}
