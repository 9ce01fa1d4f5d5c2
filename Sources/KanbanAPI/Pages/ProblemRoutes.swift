import HTTP

/// A page for each problem's `type`.
package struct ProblemRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/problems/{code}", "showProblem", audience: .everyone, show)]
    }

    private func show(_ call: Call) throws -> Response {
        guard let code = ProblemCode(rawValue: call.request.parameter("code")) else {
            throw Problem(.notFound, "There is no problem with this code.")
        }
        let page = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>\(code.title) · Kanbase</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="/docs.css">
            <h1>\(code.title)</h1>
            <p><code>\(code.rawValue)</code>, status \(code.status)</p>
            <p>\(code.advice)</p>
            <p><a href="/docs">The API</a></p>
            </html>

            """
        return .page(Array(page.utf8), type: "text/html; charset=utf-8")
    }
}

extension Response {
    /// A page of the server's own, with a policy that lets it load nothing from elsewhere.
    static func page(_ bytes: [UInt8], type: String) -> Response {
        Response(
            status: 200,
            headers: [
                ("Content-Type", type),
                ("ETag", "\"\(String(EntityTag.fingerprint(bytes), radix: 36))\""),
                ("Cache-Control", "no-cache"),
                (
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
                ),
                ("Referrer-Policy", "no-referrer"),
            ],
            body: .bytes(bytes))
    }
}
