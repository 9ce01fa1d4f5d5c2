/// Plays the cases against a server and says where it strays from them.
package struct WireJudge: Sendable {
    /// How the bytes of a send are cut.
    package enum Delivery: Sendable, Hashable {
        case whole
        case byteByByte
    }

    package let host: String
    package let port: UInt16
    /// Seconds without a byte after which something is said not to come.
    package let timeout: Int

    /// What follows a case on the same connection. It closes, so that nothing after it goes unseen.
    private static let followUp = Array(
        "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)

    package init(host: String = "127.0.0.1", port: UInt16, timeout: Int = 5) {
        self.host = host
        self.port = port
        self.timeout = timeout
    }

    /// What was wrong; `nil` when the server did as the case says, and serves on afterwards.
    package func objection(to wireCase: WireCase, _ delivery: Delivery) -> String? {
        do {
            if let objection = try play(wireCase, delivery) { return objection }
            let client = try WireClient(host: host, port: port, timeout: timeout)
            client.send(Self.followUp[...])
            let answer = try client.answer(hasNoBody: false)
            return answer?.status == 200 ? nil : "the server does not serve afterwards"
        } catch {
            return "\(error)"
        }
    }

    private func play(_ wireCase: WireCase, _ delivery: Delivery) throws -> String? {
        let client = try WireClient(host: host, port: port, timeout: timeout)
        var expectations = wireCase.expectations[...]
        for (index, step) in wireCase.steps.enumerated() {
            switch step {
            case .send(let bytes):
                let isLast = index == wireCase.steps.count - 1
                send(isLast && !wireCase.isAlone ? bytes + Self.followUp : bytes, client, delivery)
            case .halfClose: client.halfClose()
            case .receive:
                guard let expectation = expectations.popFirst() else { return "the case expects too little" }
                if let objection = try receive(expectation, client) { return objection }
            }
        }
        while let expectation = expectations.popFirst() {
            if let objection = try receive(expectation, client) { return objection }
        }
        return try ending(of: wireCase, client)
    }

    private func send(_ bytes: [UInt8], _ client: WireClient, _ delivery: Delivery) {
        switch delivery {
        case .whole: client.send(bytes[...])
        case .byteByByte: for index in bytes.indices { client.send(bytes[index...index]) }
        }
    }

    private func receive(_ expectation: WireCase.Expectation, _ client: WireClient) throws -> String? {
        let answer = try client.answer(hasNoBody: expectation.hasNoBody)
        guard expectation.allows(answer?.status) else {
            return
                "expected \(expectation.statuses.joined(separator: "|")), got \(answer.map { "\($0.status)" } ?? "none")"
        }
        guard let answer, answer.status >= 200 else { return nil }
        for field in expectation.fields {
            guard let value = answer.value(field.name), value.hasPrefix(field.value) else {
                return "\(field.name) is \(answer.value(field.name) ?? "absent")"
            }
        }
        for name in expectation.absentFields where answer.value(name) != nil { return "there is a field \(name)" }
        if answer.value("date") == nil { return "there is no Date" }
        if let body = expectation.body, !String(decoding: answer.body, as: UTF8.self).contains(body) {
            return "the body does not hold \(body)"
        }
        return nil
    }

    private func ending(of wireCase: WireCase, _ client: WireClient) throws -> String? {
        if wireCase.isAlone, wireCase.ending != .close { return nil }
        if wireCase.ending == .close {
            let rest = try client.rest()
            return rest.isEmpty ? nil : "after the end came \(String(decoding: rest.prefix(60), as: UTF8.self))"
        }
        guard let answer = try client.answer(hasNoBody: false) else {
            return wireCase.ending == .any ? nil : "the connection was closed"
        }
        guard answer.status == 200 else { return "the next request got \(answer.status)" }
        return try client.rest().isEmpty ? nil : "there was one answer too many"
    }
}
