import Foundation
import Kanban
import KanbanAPI
import Sockets
import TestSupport
import Testing

@testable import HTTP
@testable import KanbanServer

struct RequestLogTests {
    @Test func `behind a proxy each client's first request over the limit has a line`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/log"
        try Data().write(to: URL(filePath: path))
        let file = try #require(FileHandle(forWritingAtPath: path))
        let sink = LogSink(
            descriptor: file.fileDescriptor, format: .text, clock: { Timestamp(milliseconds: 0) }, capacity: 1 << 20,
            gathering: .seconds(3600))
        let proxies = TrustedProxies([try #require(AddressBlock("127.0.0.1"))])
        let requests = RequestLog(log: Log(sink: sink, level: .info), proxies: proxies)

        for client in ["198.51.100.7", "198.51.100.8", "198.51.100.7"] {
            let request = Request(
                method: .get, target: "/tasks", headers: Headers([("X-Forwarded-For", client)]),
                peer: SocketAddress(host: "127.0.0.1", port: 1))
            requests.write(
                Exchange(
                    request: request, operation: "listTasks", status: 429, requestID: nil, bodyBytesSent: 0,
                    microseconds: 1))
        }
        sink.flush(within: .seconds(600))

        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("status=429") }
        #expect(lines.count == 2 && lines[1].contains("peer=198.51.100.8"))
    }
}
