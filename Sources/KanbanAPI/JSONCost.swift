import HTTP

/// The memory that a JSON body takes together with what is parsed of it, from a look at its bytes.
///
/// A body of small values takes many times its bytes when it is parsed, so its length alone does not bound the memory.
enum JSONCost {
    private struct Prices {
        /// An array or object, with what handlers make of it: a mutation and its result, a task.
        var container: Int
        var value: Int
    }

    static func bytes(of body: [UInt8], in content: Route.Content) -> Int {
        // Large documents are read value by value; other bodies become one value.
        let prices = content.isParsed ? Prices(container: 384, value: 64) : Prices(container: 256, value: 24)
        var (containers, values) = (0, 0)
        // Unsafe only for the time of the scan, which is without checks of bounds ten times as fast.
        body.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "{"), UInt8(ascii: "["): containers += 1
                case UInt8(ascii: ","), UInt8(ascii: ":"): values += 1
                case UInt8(ascii: "\""): index = end(of: bytes, from: index + 1)
                default: break
                }
                index += 1
            }
        }
        return max(body.count * content.weight, body.count + containers * prices.container + values * prices.value)
    }

    /// The place of the quotation mark that ends the string.
    private static func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index
    }
}

extension Request {
    /// True if the request's body may take much memory: it is compressed, or not known to be shorter than 1,000 bytes.
    var mayTakeMuch: Bool {
        if headers.hasGzipBody == true { return true }
        return (headers.bytes("content-length")?.count ?? .max) > 3
    }
}

extension Problem {
    static var noRoom: Problem {
        Problem(
            .unavailable, "Too much data is in flight for this client. Try again shortly.",
            headers: [("Retry-After", "1")])
    }
}
