import HTTP
import Kanban

extension Response {
    /// A page of the server, with a Content-Security-Policy that forbids content of other sites.
    static func page(_ bytes: [UInt8], type: String) -> Response {
        var page = Response(
            status: 200, contentType: type, tag: "\"\(String(EntityTag.fingerprint(bytes), radix: 36))\"",
            cacheControl: "no-cache",
            headers: [
                (
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
                        + "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
                ),
                ("Cross-Origin-Opener-Policy", "same-origin"),
                ("Referrer-Policy", "no-referrer"),
            ],
            body: .bytes(bytes))
        page.hasContentPolicy = true
        return page
    }

    /// A page with a few words.
    /// - Parameter body: HTML.
    static func notice(status: Int, title: String, _ body: String) -> Response {
        let page = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>\(title) · Kanbase</title>
            <link rel="icon" href="/icons/icon.svg">
            <link rel="stylesheet" href="/docs.css">
            <h1>\(title)</h1>
            \(body)
            </html>

            """
        var answer = Response.page(Array(page.utf8), type: "text/html; charset=utf-8")
        answer.status = status
        answer.tag = nil
        return answer
    }

    /// The page at an unknown address.
    static let lost: Response = {
        var answer = notice(
            status: 404, title: "There is nothing at this address",
            """
            <p lang="ko">이 주소에는 아무것도 없습니다. <a href="/">보드로 가기</a></p>
            <p lang="ja">このアドレスには何もありません。<a href="/">ボードへ</a></p>
            <p>Go to <a href="/">the board</a> or to <a href="/docs">the API</a>.</p>
            """)
        answer.headers.append(Problem.varyAccept)
        return answer
    }()
}

extension Problem {
    fileprivate static let varyAccept = (name: "Vary", value: "Accept")

    /// The same for a program.
    static func lost(_ detail: String) -> Problem {
        Problem(.notFound, detail, headers: [varyAccept])
    }
}

extension Call {
    /// The answer of a route of pages that has none of this name: a page for a browser, and a problem for a program.
    func lostPage(_ detail: String) throws(Problem) -> Response {
        guard request.prefersPage else { throw .lost(detail) }
        return .lost
    }
}

extension Request {
    /// True if `Accept` prefers HTML to JSON, as browsers do for an address that a person opens.
    var prefersPage: Bool {
        guard method == .get || method == .head else { return false }
        let types = QualityList(headers.values("accept"))
        let page = types.quality(of: ["text/html", "application/xhtml+xml"]) ?? 0
        return page > types.quality(of: ["application/json", "application/problem+json"]) ?? 0
    }
}
