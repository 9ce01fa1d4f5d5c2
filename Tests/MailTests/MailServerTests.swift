import TestSupport
import Testing

@testable import Mail

@Suite(.timeLimit(.minutes(10)))
struct MailServerTests {
    private let message = EmailMessage(
        from: "board@example.org", to: "sun@example.org", subject: "Code", text: "A line\n.\n..two dots\n")

    @Test func `a mail arrives as it was written`() async throws {
        let service = try StubMailServer()
        defer { service.stop() }

        try await MailServer(url: service.url).send(message, at: 0, identifier: "x")

        let mail = try #require(service.mails.first)
        #expect(mail.sender == "board@example.org" && mail.recipient == "sun@example.org")
        #expect(mail.text == "A line\r\n.\r\n..two dots\r\n" && !mail.isEncrypted)
    }

    @Test(arguments: [StubMailServer.Behaviour.refuse, .drop, .swallow])
    func `a server that refuses or breaks off has not taken the mail`(behaviour: StubMailServer.Behaviour) async throws
    {
        let service = try StubMailServer(behaviour)
        defer { service.stop() }

        let refusal = await #expect(throws: MailServer.Refusal.self) {
            try await MailServer(url: service.url).send(message, at: 0, identifier: "x")
        }

        #expect(service.mails.isEmpty)
        #expect(refusal?.description.contains("@") == false)
    }

    @Test(arguments: ["x>y<z@b.c", "a@b.c> SIZE=1", "a@b.c\r\nDATA", "\"a\"b>\"@c.d", "\"a"])
    func `an address that would end its brackets is not put on the wire`(address: String) async throws {
        let service = try StubMailServer()
        defer { service.stop() }
        var (from, to) = (message, message)
        from.sender = address
        to.recipient = address

        for message in [from, to] {
            let refusal = await #expect(throws: MailServer.Refusal.self) {
                try await MailServer(url: service.url).send(message, at: 0, identifier: "x")
            }
            #expect(refusal?.description == "the address cannot be written in a mail")
        }

        #expect(service.mails.isEmpty)
    }

    @Test func `a quoted address arrives`() async throws {
        let service = try StubMailServer()
        defer { service.stop() }
        var message = message
        message.recipient = "\"<a>\"@example.org"

        try await MailServer(url: service.url).send(message, at: 0, identifier: "x")

        #expect(service.mails.count == 1)
    }

    @Test func `a silent server is given up on, and one that is not there as well`() async throws {
        let service = try StubMailServer(.silence)

        await #expect(throws: MailServer.Refusal.self) {
            try await MailServer(url: service.url, timeout: .milliseconds(300)).send(message, at: 0, identifier: "x")
        }
        service.stop()
        await #expect(throws: MailServer.Refusal.self) {
            try await MailServer(url: service.url).send(message, at: 0, identifier: "x")
        }
    }

    #if !canImport(Darwin)
        @Test func `where encryption is offered the mail goes encrypted, to a certificate that is trusted`()
            async throws
        {
            let folder = try TemporaryDirectory()
            let certificate = try folder.makeCertificate()
            let service = try StubMailServer(certificate: certificate)
            defer { service.stop() }

            try await MailServer(url: service.url, authorities: certificate.chain).send(message, at: 0, identifier: "x")
            await #expect(throws: MailServer.Refusal.self) {
                try await MailServer(url: service.url).send(message, at: 0, identifier: "x")
            }

            #expect(service.mails.map(\.isEncrypted) == [true])
        }
    #endif

    @Test func `where encryption is required and not offered no mail goes`() async throws {
        let service = try StubMailServer()
        defer { service.stop() }

        await #expect(throws: MailServer.Refusal.self) {
            try await MailServer(url: service.url, startTLS: .required).send(message, at: 0, identifier: "x")
        }

        #expect(service.mails.isEmpty)
    }
}
