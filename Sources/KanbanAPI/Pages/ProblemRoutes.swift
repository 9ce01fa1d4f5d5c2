import HTTP

/// A page for each problem's `type`.
package struct ProblemRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [Route(.get, "/problems/{code}", "showProblem", audience: .everyone, ignoresQuery: true, show)]
    }

    private func show(_ call: Call) throws -> Response {
        let name = call.request.parameter("code")
        guard let code = Problem.kinds.first(where: { $0.rawValue == name }) else {
            return try call.lostPage("There is no problem with this code.")
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
            <p>Go to <a href="/">the board</a> or to <a href="/docs">the API</a>.</p>
            </html>

            """
        return .page(Array(page.utf8), type: "text/html; charset=utf-8")
    }
}
