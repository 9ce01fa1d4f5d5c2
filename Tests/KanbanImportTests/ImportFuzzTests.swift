import TestSupport
import Testing

struct ImportFuzzTests {
    @Test func `what the fuzzer begins with is read or refused, and the same each time`() throws {
        try replayFuzzCorpus("import", to: fuzzImport)
    }
}
