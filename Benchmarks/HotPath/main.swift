import Foundation
import HTTP
import Kanban
import KanbanAPI
import KanbanSQLite
import Sockets

/// What `Benchmarks/guard` counts: a whole server over a real store on one loop, and requests to it, one at a time.
///
/// `mark` is where callgrind writes down what it counted so far; between two marks lie `repeats` requests, or `pushes`
/// pushes of `edits` edits each.
let repeats = 200
let pushes = 4
let edits = 500

@inline(never)
func mark(_ name: UnsafePointer<CChar>) {
    puts(name)
}

/// Counts nothing.
struct NoObserver: ExchangeObserver {
    func finished(_ exchange: Exchange) {}
    func failed(requestID: String, operation: String, _ error: any Error) {
        fatalError("\(operation): \(error)")
    }
}

/// One kept-alive connection that waits for each answer.
struct Client {
    let descriptor: Int32

    init(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "No connection.")
    }

    /// Sends the request and takes the answer, which comes in one piece: it is small, and this is the same machine.
    ///
    /// - Returns: how many bytes of the buffer it fills.
    @discardableResult
    func exchange(_ request: [UInt8], _ answer: inout [UInt8]) -> Int {
        precondition(send(descriptor, request, request.count, 0) == request.count, "Not sent.")
        let count = recv(descriptor, &answer, answer.count, 0)
        precondition(count > 0, "The server hung up.")
        return count
    }

    /// Sends the request and takes an answer of any size.
    ///
    /// - Returns: where its body begins, and how many bytes of the buffer it fills.
    func exchangeWhole(_ request: [UInt8], _ answer: inout [UInt8]) -> (body: Int, end: Int) {
        precondition(send(descriptor, request, request.count, 0) == request.count, "Not sent.")
        var end = 0
        var body = 0
        var wanted = Int.max
        while end < wanted {
            let capacity = answer.count - end
            let count = answer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress.map { $0 + end }, capacity, 0) }
            precondition(count > 0, "The server hung up, or the answer is too long.")
            end += count
            guard wanted == .max else { continue }
            let head = String(decoding: answer[..<min(end, 1024)], as: UTF8.self)
            let parts = head.components(separatedBy: "\r\n\r\n")
            guard parts.count > 1, let length = parts[0].components(separatedBy: "Content-Length: ").dropFirst().first
            else {
                continue
            }
            body = parts[0].utf8.count + 4
            wanted = body + (Int(length.prefix { $0.isNumber }) ?? 0)
        }
        return (body, end)
    }

    /// - Returns: the answer as text.
    func text(_ request: String, expecting status: Int) -> String {
        var answer = [UInt8](repeating: 0, count: 1 << 17)
        let count = exchange(Array(request.utf8), &answer)
        let text = String(decoding: answer[..<count], as: UTF8.self)
        precondition(text.hasPrefix("HTTP/1.1 \(status) "), "Not \(status): \(text)")
        return text
    }
}

let directory = NSTemporaryDirectory() + "hotpath-\(UUID().uuidString)"
defer { try? FileManager.default.removeItem(atPath: directory) }  // Only litter, if it stays.
let clock: @Sendable () -> Timestamp = { Timestamp(milliseconds: 1_795_000_000_000) }
let group = try EventLoopGroup(count: 1)
/// Under callgrind on a busy machine a connection may wait for minutes.
let patient = {
    var limits = Limits()
    limits.headTime = .seconds(3600)
    limits.idleTime = .seconds(3600)
    return limits
}()
func serve(_ store: FileStore, limits: BoardMemory.Limits = .init()) throws -> (server: Server, client: Client) {
    let environment = Environment(store: store, clock: clock, memory: BoardMemory(limits: limits))
    let server = Server(
        group: group, limits: patient,
        responder: Application(
            environment: environment, gate: OpenGate(), routes: Routes.all, observer: NoObserver()))
    return (server, Client(port: try server.start(SocketAddress(host: "127.0.0.1", port: 0)).port))
}

func request(_ line: String, _ field: String = "", body: String = "") -> String {
    let content = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    return "\(line) HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\(field)\(content)\r\n\(body)"
}

let post = request(
    "POST /tasks", body: #"{"title":"Write the report","body":"Two pages","status":"todo","dueDate":"2026-12-01"}"#)
/// - Returns: the id of the last of 101 tasks.
func fill(_ client: Client) -> Substring {
    for _ in 0..<100 { _ = client.text(post, expecting: 201) }
    return client.text(post, expecting: 201).components(separatedBy: "\"id\":\"")[1].prefix(36)
}

func measure(_ name: String, _ client: Client, _ requests: [String], expecting status: Int) {
    for index in 0..<50 { _ = client.text(requests[index % requests.count], expecting: status) }
    let bytes = requests.map { Array($0.utf8) }
    var answer = [UInt8](repeating: 0, count: 1 << 17)
    mark("begin")
    for index in 0..<repeats { client.exchange(bytes[index % bytes.count], &answer) }
    mark(name)
}

let still = try FileStore(in: directory + "/still", clock: clock)
let (server, client) = try serve(still)
/// Rebuilds every page, as after a write.
var withoutPages = BoardMemory.Limits()
withoutPages.pages = 0
let (forgetful, rebuilt) = try serve(still, limits: withoutPages)
/// Remembers nothing: every GET reads the file.
let (distracted, apart) = try serve(still, limits: .none)
let task = fill(client)
let cursor = client.text(request("GET /tasks?limit=50"), expecting: 200)
    .components(separatedBy: "\"nextCursor\":\"")[1].prefix { $0 != "\"" }
let get = request("GET /tasks/\(task)")
measure("get", client, [get], expecting: 200)
measure("unchanged", client, [request("GET /tasks/\(task)", "If-None-Match: \"101\"\r\n")], expecting: 304)
measure("get apart", apart, [get], expecting: 200)
measure("page", client, [request("GET /tasks?limit=50")], expecting: 200)
measure("page rebuilt", rebuilt, [request("GET /tasks?limit=50&cursor=\(cursor)")], expecting: 200)
still.close()

/// Of its own: each write is reported to the memory of each server over the store.
let written = try FileStore(in: directory + "/written", clock: clock)
let (busy, writer) = try serve(written)
let card = fill(writer)
measure("create", writer, [post], expecting: 201)
let titles = ["One", "Two"].map { request("PATCH /tasks/\(card)", body: #"{"title":"\#($0)"}"#) }
measure("patch", writer, titles, expecting: 200)
let columns = ["doing", "todo"].map { request("POST /tasks/\(card)/move", body: #"{"status":"\#($0)"}"#) }
measure("move", writer, columns, expecting: 200)

/// Pushes one mutation of each of the tasks that pushes are about.
func push(_ number: Int, _ mutation: (_ index: Int) -> String) -> [UInt8] {
    let mutations = (0..<edits).map { index in
        let id = String(format: "%08x-0000-4000-8000-%012x", number, index)
        return #"{"mutationId":"\#(id)","type":"task","id":"\#(pushed(index))",\#(mutation(index))}"#
    }
    return Array(request("POST /sync", body: #"{"mutations":[\#(mutations.joined(separator: ","))]}"#).utf8)
}

func pushed(_ index: Int) -> String { String(format: "0199a3c4-0000-7000-8000-%012x", index) }

var results = [UInt8](repeating: 0, count: 4 << 20)
_ = writer.exchangeWhole(push(0) { #""op":"create","value":{"title":"Task \#($0)"}"# }, &results)
/// That of the first of the tasks; the others follow, one by one, and so they do after each push.
let first = writer.text(request("GET /tasks/\(pushed(0))"), expecting: 200)
    .components(separatedBy: "\"revision\":")[1].prefix { $0.isNumber }
let all = (1...pushes + 1).map { number in
    push(number) { index in
        let base = (Int(first) ?? 0) + (number - 1) * edits + index
        return #""op":"patch","baseRevision":\#(base),"value":{"title":"Edit \#(number) of task \#(index)"}"#
    }
}
let (start, end) = writer.exchangeWhole(all[0], &results)
let applied = String(decoding: results[start..<end], as: UTF8.self).components(separatedBy: "\"applied\"").count - 1
precondition(applied == edits, "Only \(applied) edits were applied.")
mark("begin")
for request in all.dropFirst() { _ = writer.exchangeWhole(request, &results) }
mark("push")
