import CCurl
import Locks

/// Fetches web addresses, each on its own thread, so that no event loop waits.
///
/// Certificates are verified. Redirects are followed from https to https alone, at most three.
package final class Fetcher: Sendable {
    /// Why a fetch failed.
    package enum Fault: Error, Hashable, Sendable {
        /// The answer was not complete in time.
        case timeout
        /// The address cannot be reached, does not answer 200, or sends too many bytes.
        case unavailable
        /// Too many fetches are running.
        case busy
    }

    private let timeout: Duration
    private let limit: Int
    private let most: Int
    private let authorities: String?
    private let running = Locked(0)

    /// - Parameters:
    ///   - timeout: the time for a whole answer.
    ///   - limit: the most bytes of a body.
    ///   - most: how many may run at once; more are refused.
    ///   - authorities: a file of certificates (PEM) to trust instead of the system's.
    package init(timeout: Duration, limit: Int, most: Int = 16, authorities: String? = nil) {
        self.authorities = authorities
        self.timeout = timeout
        self.limit = limit
        self.most = most
    }

    /// Fetches the body at an address of `http:` or `https:`.
    /// - Throws: ``Fault``, or `CancellationError` as soon as the task is cancelled.
    package func get(_ url: String) async throws -> [UInt8] {
        let isSecure = url.lowercased().hasPrefix("https:")
        let transfer: Transfer
        do {
            transfer = try Transfer(url, schemes: isSecure ? "https" : "http", timeout: timeout, limit: limit)
        } catch {
            throw Fault.unavailable
        }
        if let authorities { transfer.set(CURLOPT_CAINFO, authorities) }
        transfer.set(CURLOPT_FOLLOWLOCATION, isSecure ? 1 : 0)
        // Do not use a proxy of the environment for this machine.
        if Self.isLoopback(url) { transfer.set(CURLOPT_PROXY, "") }
        transfer.set(CURLOPT_MAXREDIRS, 3)
        transfer.set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        transfer.set(CURLOPT_HTTPHEADER, list: ["Accept: application/json", "User-Agent: kanbase"])
        guard take() else { throw Fault.busy }
        do {
            let (status, body) = try await transfer.perform { [self] in running.withLock { $0 -= 1 } }
            guard status == 200 else { throw Fault.unavailable }
            return body
        } catch Transfer.Fault.timeout {
            throw Fault.timeout
        } catch is Transfer.Fault {
            throw Fault.unavailable
        }
    }

    private static func isLoopback(_ url: String) -> Bool {
        let authority = url.split(separator: "/").dropFirst().first ?? ""
        return ["127.0.0.1", "localhost", "[::1]"].contains { host in
            authority == host || authority.hasPrefix("\(host):")
        }
    }

    private func take() -> Bool {
        running.withLock { running in
            guard running < most else { return false }
            running += 1
            return true
        }
    }
}
