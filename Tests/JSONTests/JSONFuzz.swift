// libFuzzer target for the JSON module, compiled into one module with Sources/JSON (see Fuzz/run).
// Any bytes: the parser accepts or names a byte of the text; what it accepts it writes back to the same; reading value
// by value finds the same as reading it all at once.
import JSON
import TestSupport

#if FUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzzJSON(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let whole = Result { () throws(JSONError) in try JSON(parsing: bytes) }
    let walked = Result { () throws(JSONError) in
        var reader = JSONReader(bytes)
        let value = try walk(&reader)
        try reader.finish()
        return value
    }
    let skipped = Result { () throws(JSONError) in
        var reader = JSONReader(bytes)
        try reader.finish()
    }
    check(whole == walked, "reading value by value differs: \(whole) and \(walked)")

    switch (whole, skipped) {
    case (.success(let value), .success):
        let text = value.serialized()
        let back = Result { () throws(JSONError) in try JSON(parsing: text) }
        check(back == .success(value), "written and read it is another: \(back)")
        check(value.isEquivalent(to: value), "not equivalent to itself: \(value)")
        if value.objectMembers != nil { _ = value.mergePatched(with: value) }
    case (.failure(let error), .failure(let other)):
        check(error == other && 0...count ~= error.offset, "\(error) but skipped \(other)")
    default:
        check(false, "skipping differs: \(whole) and \(skipped)")
    }
    return 0
}

private func walk(_ reader: inout JSONReader) throws(JSONError) -> JSON {
    switch try reader.kind() {
    case .object:
        try reader.enterObject()
        var members: [JSON.Member] = []
        while let name = try reader.nextName() { members.append(JSON.Member(name, try walk(&reader))) }
        return .object(members)
    case .array:
        try reader.enterArray()
        var elements: [JSON] = []
        while try reader.nextElement() { elements.append(try walk(&reader)) }
        return .array(elements)
    default:
        return try reader.value()
    }
}
