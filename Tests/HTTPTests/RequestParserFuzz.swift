// libFuzzer target: any bytes to the connection machine, that is the parser, the body decoder and the order of answers.
// It must not crash, it must come to rest, and after an error it must answer nothing more (see Fuzz/run).
import TestSupport

#if FUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzRequestParser(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let session = WireSession()
    session.feed(Array(UnsafeBufferPointer(start: start, count: count))[...])
    session.end()
    session.pass(.seconds(1000))
    check(session.hasClosed, "a connection without a client stays open: \(session.events)")
    check(!session.hasAnsweredAfterLast, "something is answered after the end: \(session.events)")
    return 0
}
