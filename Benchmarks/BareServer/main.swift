import Foundation
import HTTP
import Sockets

/// The HTTP module alone, with an answer that costs nothing: what the wire itself takes of a request.
///
///     BareServer [port] [loops]
final class BareResponder: Responder {
    private let body = Array(
        #"{"id":"0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11","title":"API","body":"","status":"todo","categoryId":null,"dueDate":"2026-12-01","position":"a1","createdAt":"2026-11-20T08:19:00.123Z","updatedAt":"2026-11-20T08:19:00.123Z","completedAt":null,"revision":41}"#
            .utf8)
    private let router = Router([
        (.get, "/tasks"), (.post, "/tasks"), (.get, "/tasks/{id}"), (.get, "/stream"), (.get, "/slow"),
        (.get, "/health/live"),
    ])

    func receive(_ head: Request, ready: ReadyAnswer) -> Reception {
        guard case .found(let route) = router.match(head) else { return .answer(Response(status: 404)) }
        return .read(bodyLimit: 1 << 20) { request in
            switch route {
            case 3:
                Response(status: 200, contentType: "text/event-stream", body: .live(Ticks()))
            case 4:
                await self.slow()
            default: self.small
            }
        }
    }

    private var small: Response {
        Response(
            status: 200, contentType: "application/json", tag: "\"41\"", cacheControl: "private, no-cache",
            body: .bytes(body))
    }

    /// An answer that has to change threads, as a durable write does.
    private func slow() async -> Response {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume() }
        }
        return small
    }

    func answer(to error: WireError, head: Request?) -> Response {
        Response(status: error.status, contentType: "text/plain", body: .bytes(Array(error.detail.utf8)))
    }

    func finished(_ exchange: Exchange) {}
}

/// A comment a second.
final class Ticks: LiveBody {
    func produce(_ writer: any BodyWriter) async throws -> Bool {
        while true {
            try await writer.write(Array(": tick\n\n".utf8))
            try await EventLoop.current?.sleep(for: .seconds(1))
        }
    }

    func rest(on connection: any LiveConnection) {}
    func endRest() {}
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let group = try EventLoopGroup(count: arguments.dropFirst().first ?? ProcessInfo.processInfo.activeProcessorCount)
let server = Server(group: group, responder: BareResponder())
let address = try server.start(SocketAddress(host: "127.0.0.1", port: UInt16(arguments.first ?? 8090)))
print("http://\(address)")
signal(SIGTERM, SIG_IGN)
let stop = DispatchSource.makeSignalSource(signal: SIGTERM)
let ended = DispatchSemaphore(value: 0)
stop.setEventHandler { ended.signal() }
stop.resume()
// Neither dispatchMain nor await, which ends the main thread: callgrind does not survive it.
ended.wait()
let drained = DispatchSemaphore(value: 0)
Task.detached {
    await server.drain(within: .seconds(5))
    drained.signal()
}
drained.wait()
group.shutDown()
