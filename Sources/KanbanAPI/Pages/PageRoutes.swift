import HTTP

/// The pages that the binary carries: the API's description, its documentation, and the web board.
package struct PageRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            // Takes any query: deep links of the board, and what other sites append to addresses.
            page("/", "showWebBoard", "board.html", ignoresQuery: true),
            // The page says there which language it speaks.
            page("/worker.js", "showWebBoardWorker", "worker.js", ignoresQuery: true),
            page("/manifest.webmanifest", "showWebBoardManifest", "manifest.webmanifest"),
            folder("board", "showWebBoardFile"),
            folder("icons", "showIcon"),
            page("/reset", "showResetPage", "reset.html"),
            folder("reset", "showResetFile"),
            page("/docs", "showDocs", "docs.html"),
            page("/docs.css", "showDocsStyle", "docs.css"),
            folder("docs", "showDocsFile"),
            page("/openapi.yaml", "showOpenAPI", "openapi.yaml"),
            page("/openapi.json", "showOpenAPIAsJSON", "openapi.json"),
        ]
    }

    private func page(_ path: String, _ operation: String, _ file: String, ignoresQuery: Bool = false) -> Route {
        Route(.get, path, operation, audience: .everyone, ignoresQuery: ignoresQuery) { call in
            guard let answer = PageFile.answer(file, to: call.request) else { throw Problem(.internalError) }
            return answer
        }
    }

    /// All files of a folder of pages, each under its own name.
    private func folder(_ folder: String, _ operation: String) -> Route {
        Route(.get, "/\(folder)/{name}", operation, audience: .everyone) { call in
            guard let answer = PageFile.answer("\(folder)/\(call.request.parameter("name"))", to: call.request) else {
                throw Problem(.notFound, "There is no file with this name.")
            }
            return answer
        }
    }
}
