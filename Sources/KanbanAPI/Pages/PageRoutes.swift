import HTTP

/// The pages in the binary: the API's description, its documentation, the web board, and the library for web apps.
///
/// They take any query: the board and its worker have parameters of their own, and mails, links and caches add others.
package struct PageRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            page("/", "showWebBoard", "board.html"),
            page("/worker.js", "showWebBoardWorker", "worker.js"),
            page("/manifest.webmanifest", "showWebBoardManifest", "manifest.webmanifest"),
            folder("board", "showWebBoardFile"),
            page("/client/kanbase.js", "showClientLibrary", "client/kanbase.js"),
            page("/client/kanbase.d.ts", "showClientLibraryTypes", "kanbase.d.ts"),
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

    private func page(_ path: String, _ operation: String, _ file: String) -> Route {
        Route(.get, path, operation, audience: .everyone, ignoresQuery: true) { call in
            guard let answer = PageFile.answer(file, to: call.request) else { throw Problem(.internalError) }
            return answer
        }
    }

    /// All files of a folder of pages.
    private func folder(_ folder: String, _ operation: String) -> Route {
        Route(.get, "/\(folder)/{name}", operation, audience: .everyone, ignoresQuery: true) { call in
            guard let answer = PageFile.answer("\(folder)/\(call.request.parameter("name"))", to: call.request) else {
                return try call.lostPage("There is no file with this name.")
            }
            return answer
        }
    }
}
