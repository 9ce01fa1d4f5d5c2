import CCurl
import Locks

/// Fetches web addresses, each on its own thread, so that no event loop waits.
///
/// Certificates are verified. Redirects are followed from https to https alone, at most three.
package final class Fetcher: Sendable {
    /// Why a fetch failed.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The answer was not complete in time.
        case timeout
        /// The address cannot be reached, does not answer 200, or sends too many bytes: why, without the address.
        case unavailable(String)
        /// Too many fetches are running.
        case busy

        package var description: String {
            switch self {
            case .timeout: "no whole answer in time"
            case .unavailable(let reason): reason
            case .busy: "too many fetches are running"
            }
        }
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
        let transfer = try transfer(url, within: timeout)
        transfer.set(CURLOPT_FOLLOWLOCATION, Self.isSecure(url) ? 1 : 0)
        transfer.set(CURLOPT_MAXREDIRS, 3)
        transfer.set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        let (status, body) = try await perform(transfer)
        guard status == 200 else { throw Fault.unavailable("the answer is \(status)") }
        return body
    }

    /// Gets the answer at an address of `http:` or `https:`. Redirects are not followed: the headers may hold a secret.
    /// - Parameter headers: `name: value`.
    /// - Returns: the status, whatever it is, and the body.
    /// - Throws: ``Fault``, or `CancellationError` as soon as the task is cancelled.
    package func get(_ url: String, _ headers: [String]) async throws -> Transfer.Outcome {
        let transfer = try transfer(url, within: timeout)
        transfer.set(CURLOPT_FOLLOWLOCATION, 0)
        transfer.set(CURLOPT_HTTPHEADER, list: headers)
        return try await perform(transfer)
    }

    /// Posts a form to an address of `http:` or `https:`. Redirects are not followed.
    /// - Parameter patience: the time for the whole answer, instead of the usual one.
    /// - Returns: the status, whatever it is, and the body.
    /// - Throws: ``Fault``, or `CancellationError` as soon as the task is cancelled.
    package func post(
        _ url: String, _ form: [(name: String, value: String)], within patience: Duration
    ) async throws -> Transfer.Outcome {
        let transfer = try transfer(url, within: patience)
        transfer.set(CURLOPT_FOLLOWLOCATION, 0)
        // Copied by libcurl, which sends it as application/x-www-form-urlencoded.
        transfer.set(CURLOPT_COPYPOSTFIELDS, Self.encoded(form))
        return try await perform(transfer)
    }

    /// Posts bytes to an address of `http:` or `https:`. Redirects are not followed.
    /// - Parameters:
    ///   - headers: `name: value`.
    ///   - isHTTP2: over an `http:` address without asking whether the server speaks it.
    /// - Returns: the status, whatever it is, and the body.
    /// - Throws: ``Fault``, or `CancellationError` as soon as the task is cancelled.
    package func post(
        _ url: String, _ headers: [String], _ body: [UInt8], isHTTP2: Bool
    ) async throws -> Transfer.Outcome {
        let transfer = try transfer(url, within: timeout)
        transfer.set(CURLOPT_FOLLOWLOCATION, 0)
        if isHTTP2 {
            let version = Self.isSecure(url) ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            transfer.set(CURLOPT_HTTP_VERSION, Int(version))
        }
        transfer.set(CURLOPT_HTTPHEADER, list: headers + ["Expect:"])
        transfer.post(body)
        return try await perform(transfer)
    }

    private func transfer(_ url: String, within timeout: Duration) throws(Fault) -> Transfer {
        let transfer: Transfer
        do {
            transfer = try Transfer(url, schemes: Self.isSecure(url) ? "https" : "http", timeout: timeout, limit: limit)
        } catch {
            throw Fault(error)
        }
        if let authorities { transfer.set(CURLOPT_CAINFO, authorities) }
        // Do not use a proxy of the environment for this machine.
        if Self.isLoopback(url) { transfer.set(CURLOPT_PROXY, "") }
        transfer.set(CURLOPT_HTTPHEADER, list: ["Accept: application/json", "User-Agent: kanbase"])
        return transfer
    }

    private func perform(_ transfer: Transfer) async throws -> Transfer.Outcome {
        guard take() else { throw Fault.busy }
        do {
            return try await transfer.perform { [self] in running.withLock { $0 -= 1 } }
        } catch let fault as Transfer.Fault {
            throw Fault(fault)
        }
    }

    private static func isSecure(_ url: String) -> Bool { url.lowercased().hasPrefix("https:") }

    /// A part of an address: every byte but letters, digits and `-._~` is encoded.
    package static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(Unicode.Scalar(byte))
            default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// The form as a body.
    private static func encoded(_ form: [(name: String, value: String)]) -> String {
        form.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
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

extension Fetcher.Fault {
    fileprivate init(_ fault: Transfer.Fault) {
        self =
            switch fault {
            case .timeout: .timeout
            case .cancelled: .unavailable("cancelled")
            case .tooLong: .unavailable("the answer is too long")
            case .failed(let code, let reason, _): .unavailable("\(reason) (\(code))")
            }
    }
}
