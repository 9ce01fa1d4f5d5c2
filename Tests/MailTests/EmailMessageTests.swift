import Foundation
import Testing

@testable import Mail

struct EmailMessageTests {
    @Test func `a mail in ASCII goes as it is, with lines of the wire`() {
        let mail = EmailMessage(
            from: "board@example.org", to: "sun@example.org", subject: "Your code", text: "One\n\nTwo\n")

        let message = String(decoding: mail.encoded(at: 1_795_162_740, identifier: "abc"), as: UTF8.self)

        #expect(
            message == """
                From: <board@example.org>\r
                To: <sun@example.org>\r
                Subject: Your code\r
                Date: Fri, 20 Nov 2026 08:19:00 +0000\r
                Message-ID: <abc@example.org>\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: 7bit\r
                Auto-Submitted: auto-generated\r
                \r
                One\r
                \r
                Two\r
                \r

                """)
    }

    @Test(arguments: ["https", "http"])
    func `mails that can be ended say where, and over https with one click`(scheme: String) {
        let mail = EmailMessage(
            from: "a@b.c", to: "d@e.f", subject: "x", text: "y\n",
            unsubscribe: "\(scheme)://k.example.org/digest/end?code=x")

        let lines = String(decoding: mail.encoded(at: 0, identifier: "x"), as: UTF8.self).components(
            separatedBy: "\r\n")

        #expect(lines.contains("List-Unsubscribe: <\(scheme)://k.example.org/digest/end?code=x>"))
        #expect(lines.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click") == (scheme == "https"))
    }

    @Test func `Korean is base 64 in lines of at most 76, and its subject in words of at most 75`() throws {
        let text = String(repeating: "비밀번호를 다시 정합니다. ", count: 20)
        let mail = EmailMessage(from: "a@b.c", to: "d@e.f", subject: text, text: "\(text)\n둘\n")

        let message = String(decoding: mail.encoded(at: 0, identifier: "x"), as: UTF8.self)

        let lines = message.components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 + "Subject: ".count })
        let words = lines.filter { $0.contains("=?utf-8?B?") }
            .map { $0.components(separatedBy: "=?utf-8?B?")[1].dropLast(2) }
        #expect(words.count > 10 && words.allSatisfy { $0.utf8.count <= 63 })
        // Each word stands for whole characters.
        let subject = try words.map { String(data: try #require(Data(base64Encoded: String($0))), encoding: .utf8) }
        #expect(subject.compactMap(\.self).joined() == text)
        let body = try #require(message.components(separatedBy: "\r\n\r\n").last)
        let decoded = Data(base64Encoded: body, options: .ignoreUnknownCharacters) ?? Data()
        #expect(String(decoding: decoded, as: UTF8.self) == "\(text)\r\n둘\r\n")
    }

    @Test(arguments: [
        ("smtp://mail.example.org", true), ("smtps://u:p@mail.example.org:465", true), ("SMTP://[::1]:25", true),
        ("http://mail.example.org", false), ("smtp://", false), ("smtp://u@", false), ("smtp://a b", false),
        ("mail.example.org", false),
    ])
    func `a URL of a mail server is known`(url: String, isAddress: Bool) {
        #expect(MailServer.isAddress(url) == isAddress)
    }
}
