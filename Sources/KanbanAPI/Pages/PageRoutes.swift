import HTTP

/// The pages in the binary: the API's description, its documentation, and the web board.
package struct PageRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            // Any query is allowed: deep links of the board, and parameters that other sites add.
            page("/", "showWebBoard", "board.html", ignoresQuery: true),
            // The page uses the parameter for its language.
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

    /// All files of a folder of pages.
    private func folder(_ folder: String, _ operation: String) -> Route {
        Route(.get, "/\(folder)/{name}", operation, audience: .everyone) { call in
            guard let answer = PageFile.answer("\(folder)/\(call.request.parameter("name"))", to: call.request) else {
                return try call.lostPage("There is no file with this name.")
            }
            return answer
        }
    }
}
