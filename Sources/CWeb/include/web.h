// The files that the server gives out, as they are in the source tree, within the binary.
#ifndef KANBASE_WEB_H
#define KANBASE_WEB_H

typedef struct {
    const unsigned char *bytes;
    unsigned long count;
} WebFile;

extern const WebFile web_openapi_yaml;
extern const WebFile web_openapi_json;
extern const WebFile web_docs_html;
extern const WebFile web_docs_css;
extern const WebFile web_board_html;
extern const WebFile web_board_css;
extern const WebFile web_board_js;

#endif
