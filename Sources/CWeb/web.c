#include "web.h"

// `#embed` takes a file as it is; an array literal of Swift takes the compiler half a minute for the same.
// It is C23, which clang knows in every mode and warns of.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi_yaml[] = {
#embed "../../openapi.yaml"
};
const WebFile web_openapi_yaml = {openapi_yaml, sizeof openapi_yaml};

static const unsigned char openapi_json[] = {
#embed "../../openapi.json"
};
const WebFile web_openapi_json = {openapi_json, sizeof openapi_json};

static const unsigned char docs_html[] = {
#embed "pages/docs.html"
};
const WebFile web_docs_html = {docs_html, sizeof docs_html};

static const unsigned char docs_css[] = {
#embed "pages/docs.css"
};
const WebFile web_docs_css = {docs_css, sizeof docs_css};

static const unsigned char board_html[] = {
#embed "pages/board.html"
};
const WebFile web_board_html = {board_html, sizeof board_html};

static const unsigned char board_css[] = {
#embed "pages/board.css"
};
const WebFile web_board_css = {board_css, sizeof board_css};

static const unsigned char board_js[] = {
#embed "pages/board.js"
};
const WebFile web_board_js = {board_js, sizeof board_js};
