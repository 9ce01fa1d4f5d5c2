// Written by Scripts/web from the files in pages/. Do not edit.
#include "web.h"

// `#embed` takes a file as it is; an array literal of Swift takes the compiler half a minute for the same.
// It is C23, which clang knows in every mode and warns of.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file0[] = {
#embed "../../openapi.json"
};

static const unsigned char file1[] = {
#embed "../../openapi.yaml"
};

static const unsigned char file2[] = {
#embed "pages/board/board.css"
};

static const unsigned char file3[] = {
#embed "pages/board/board.js"
};

static const unsigned char file4[] = {
#embed "pages/board.html"
};

static const unsigned char file5[] = {
#embed "pages/docs/dom.js"
};

static const unsigned char file6[] = {
#embed "pages/docs/examples.js"
};

static const unsigned char file7[] = {
#embed "pages/docs/guides.js"
};

static const unsigned char file8[] = {
#embed "pages/docs/main.js"
};

static const unsigned char file9[] = {
#embed "pages/docs/markdown.js"
};

static const unsigned char file10[] = {
#embed "pages/docs/operation.js"
};

static const unsigned char file11[] = {
#embed "pages/docs/page.css"
};

static const unsigned char file12[] = {
#embed "pages/docs/schema.js"
};

static const unsigned char file13[] = {
#embed "pages/docs/search.js"
};

static const unsigned char file14[] = {
#embed "pages/docs/spec.js"
};

static const unsigned char file15[] = {
#embed "pages/docs/tryit.js"
};

static const unsigned char file16[] = {
#embed "pages/docs.css"
};

static const unsigned char file17[] = {
#embed "pages/docs.html"
};

static const unsigned char file18[] = {
#embed "pages/icons/icon-192.png"
};

static const unsigned char file19[] = {
#embed "pages/icons/icon-512.png"
};

static const unsigned char file20[] = {
#embed "pages/icons/icon.svg"
};

static const unsigned char file21[] = {
#embed "pages/icons/maskable-512.png"
};

static const unsigned char file22[] = {
#embed "pages/icons/touch-180.png"
};

static const unsigned char file23[] = {
#embed "pages/manifest.webmanifest"
};

static const unsigned char file24[] = {
#embed "pages/worker.js"
};

static const unsigned char file25[] = {
#embed "../../docs/clients.md"
};

static const unsigned char file26[] = {
#embed "../../docs/concurrency.md"
};

static const unsigned char file27[] = {
#embed "../../docs/sync.md"
};

static const unsigned char file28[] = {
#embed "../../docs/time.md"
};

static const WebFile files[] = {
    {"openapi.json", file0, sizeof file0},
    {"openapi.yaml", file1, sizeof file1},
    {"board/board.css", file2, sizeof file2},
    {"board/board.js", file3, sizeof file3},
    {"board.html", file4, sizeof file4},
    {"docs/dom.js", file5, sizeof file5},
    {"docs/examples.js", file6, sizeof file6},
    {"docs/guides.js", file7, sizeof file7},
    {"docs/main.js", file8, sizeof file8},
    {"docs/markdown.js", file9, sizeof file9},
    {"docs/operation.js", file10, sizeof file10},
    {"docs/page.css", file11, sizeof file11},
    {"docs/schema.js", file12, sizeof file12},
    {"docs/search.js", file13, sizeof file13},
    {"docs/spec.js", file14, sizeof file14},
    {"docs/tryit.js", file15, sizeof file15},
    {"docs.css", file16, sizeof file16},
    {"docs.html", file17, sizeof file17},
    {"icons/icon-192.png", file18, sizeof file18},
    {"icons/icon-512.png", file19, sizeof file19},
    {"icons/icon.svg", file20, sizeof file20},
    {"icons/maskable-512.png", file21, sizeof file21},
    {"icons/touch-180.png", file22, sizeof file22},
    {"manifest.webmanifest", file23, sizeof file23},
    {"worker.js", file24, sizeof file24},
    {"docs/clients.md", file25, sizeof file25},
    {"docs/concurrency.md", file26, sizeof file26},
    {"docs/sync.md", file27, sizeof file27},
    {"docs/time.md", file28, sizeof file28},
};

const WebFile *const web_files = files;
const unsigned long web_file_count = sizeof files / sizeof *files;
