import Foundation
import JSON
import Locks

@testable import KanbanClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A network to a server that notes what was asked, and can be away.
final class RecordingNetwork: Transport {
    private let server: any Transport
    private let asked = Locked<[(line: String, body: JSON)]>([])
    private let away = TestFlag()
    private let losesReports = TestFlag()

    init(to server: any Transport) {
        self.server = server
    }

    func setAway(_ isAway: Bool) { away.set(isAway) }
    /// True if the answer to what a device reports is lost.
    var isLosingReports: Bool { losesReports.isSet }
    func setLosingReports(_ loses: Bool) { losesReports.set(loses) }

    /// What was asked of devices since the last time.
    func takeDeviceCalls() -> [(line: String, body: JSON)] {
        asked.withLock { asked in
            defer { asked = [] }
            return asked.filter { $0.line.contains("/devices") }
        }
    }

    func send(
        _ request: URLRequest, timeout: Duration
    ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
        guard !away.isSet else { throw NetworkError(neverLeft: true) }
        let body = request.httpBody.flatMap { try? JSON(parsing: [UInt8]($0)) } ?? .null
        asked.withLock { $0.append(("\(request.httpMethod ?? "") \(request.url?.path ?? "")", body)) }
        let answer = try await server.send(request, timeout: timeout)
        if losesReports.isSet, request.httpMethod == "PATCH" { throw NetworkError() }
        return answer
    }

    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        server.stream(request, timeout: timeout)
    }
}
