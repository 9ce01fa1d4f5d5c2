import CWeb
import HTTP

/// The pages that the binary carries: the API's description, its documentation, and the web board.
package struct PageRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            page("/", "showWebBoard", web_board_html, "text/html; charset=utf-8"),
            page("/board.css", "showWebBoardStyle", web_board_css, "text/css; charset=utf-8"),
            page("/board.js", "showWebBoardScript", web_board_js, "text/javascript; charset=utf-8"),
            page("/docs", "showDocs", web_docs_html, "text/html; charset=utf-8"),
            page("/docs.css", "showDocsStyle", web_docs_css, "text/css; charset=utf-8"),
            page("/openapi.yaml", "showOpenAPI", web_openapi_yaml, "application/yaml; charset=utf-8"),
            page("/openapi.json", "showOpenAPIAsJSON", web_openapi_json, "application/json"),
        ]
    }

    private func page(_ path: String, _ operation: String, _ file: WebFile, _ type: String) -> Route {
        // The bytes are constants of the binary: they live as long as the process and never change.
        let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: Int(file.count)))
        let answer = Response.page(bytes, type: type)
        return Route(.get, path, operation, audience: .everyone) { _ in answer }
    }
}
