import Foundation
import HTTP
import Kanban
import KanbanAPI
import KanbanSQLite
import Sockets

/// What `Benchmarks/guard` counts: a whole server over a real store on one loop, and requests to it, one at a time.
///
/// `mark` is where callgrind writes down what it counted so far; between two marks lie `repeats` requests.
let repeats = 200

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
let store = try SQLStore(in: directory, clock: clock)
let group = try EventLoopGroup(count: 1)
func serve(limits: BoardMemory.Limits = .init()) throws -> (server: Server, client: Client) {
    let environment = Environment(store: store, clock: clock, memory: BoardMemory(limits: limits))
    let server = Server(
        group: group,
        responder: Application(
            environment: environment, gate: OpenGate(), routes: Routes.all, observer: NoObserver()))
    return (server, Client(port: try server.start(SocketAddress(host: "127.0.0.1", port: 0)).port))
}
let (server, client) = try serve()
/// Makes every page anew, as after a write.
var withoutPages = BoardMemory.Limits()
withoutPages.pages = 0
let (forgetful, anew) = try serve(limits: withoutPages)

func request(_ line: String, _ field: String = "", body: String = "") -> String {
    let content = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    return "\(line) HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\(field)\(content)\r\n\(body)"
}

let post = request(
    "POST /tasks", body: #"{"title":"Write the report","body":"Two pages","status":"todo","dueDate":"2026-12-01"}"#)
for _ in 0..<100 { _ = client.text(post, expecting: 201) }
let task = client.text(post, expecting: 201).components(separatedBy: "\"id\":\"")[1].prefix(36)
let revision = 101
let cursor = client.text(request("GET /tasks?limit=50"), expecting: 200)
    .components(separatedBy: "\"nextCursor\":\"")[1].prefix { $0 != "\"" }
let workloads = [
    (client, "get", request("GET /tasks/\(task)"), 200),
    (client, "unchanged", request("GET /tasks/\(task)", "If-None-Match: \"\(revision)\"\r\n"), 304),
    (client, "page", request("GET /tasks?limit=50"), 200),
    (anew, "page anew", request("GET /tasks?limit=50&cursor=\(cursor)"), 200),
    (client, "create", post, 201),
]
for (client, name, request, status) in workloads {
    for _ in 0..<50 { _ = client.text(request, expecting: status) }
    let bytes = Array(request.utf8)
    var answer = [UInt8](repeating: 0, count: 1 << 17)
    mark("begin")
    for _ in 0..<repeats { client.exchange(bytes, &answer) }
    mark(name)
}
