import TestSupport
import Testing

struct JSONFuzzTests {
    @Test func `what the fuzzer begins with is read alike in every way`() throws {
        try replayFuzzCorpus("json", to: fuzzJSON)
    }
}
