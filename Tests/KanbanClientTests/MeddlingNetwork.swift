import Foundation
import Locks

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A network that does to each request what the test says.
final class MeddlingNetwork: Transport {
    enum Fault: Sendable {
        case none
        /// The request does not arrive.
        case cut
        case loseAnswer
        /// Somebody else answers.
        case answer(Int, String)
    }

    private let server: any Transport
    /// In an array: a generic box would wrap a bare function once more at each access.
    private let faults = Locked<[@Sendable (_ path: String) -> Fault]>([])

    init(to server: any Transport) {
        self.server = server
    }

    func meddle(_ fault: @escaping @Sendable (_ path: String) -> Fault) {
        faults.withLock { $0 = [fault] }
    }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        switch faults.withLock(\.last)?(request.url?.path ?? "") ?? .none {
        case .none: return try await server.send(request, timeout: timeout)
        case .cut: throw NetworkError()
        case .loseAnswer:
            _ = try await server.send(request, timeout: timeout)
            throw NetworkError()
        case .answer(let status, let body): return (status, [:], Array(body.utf8))
        }
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        server.stream(request, timeout: timeout)
    }
}
