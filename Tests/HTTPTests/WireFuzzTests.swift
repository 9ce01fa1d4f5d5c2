import TestSupport
import Testing

struct WireFuzzTests {
    @Test func `what the fuzzers begin with comes to rest, in one piece and in several`() throws {
        try replayFuzzCorpus("http", to: fuzzRequestParser)
        try replayFuzzCorpus("http", to: fuzzWireSplit)
    }
}
