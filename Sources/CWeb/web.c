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
#embed "pages/board/account.js"
};

static const unsigned char file3[] = {
#embed "pages/board/actions.js"
};

static const unsigned char file4[] = {
#embed "pages/board/add.js"
};

static const unsigned char file5[] = {
#embed "pages/board/answers.js"
};

static const unsigned char file6[] = {
#embed "pages/board/api.js"
};

static const unsigned char file7[] = {
#embed "pages/board/app.js"
};

static const unsigned char file8[] = {
#embed "pages/board/board.css"
};

static const unsigned char file9[] = {
#embed "pages/board/board.js"
};

static const unsigned char file10[] = {
#embed "pages/board/conflicts.js"
};

static const unsigned char file11[] = {
#embed "pages/board/dates.js"
};

static const unsigned char file12[] = {
#embed "pages/board/drag.js"
};

static const unsigned char file13[] = {
#embed "pages/board/editor.js"
};

static const unsigned char file14[] = {
#embed "pages/board/engine.js"
};

static const unsigned char file15[] = {
#embed "pages/board/forms.js"
};

static const unsigned char file16[] = {
#embed "pages/board/menu.js"
};

static const unsigned char file17[] = {
#embed "pages/board/model.js"
};

static const unsigned char file18[] = {
#embed "pages/board/page.js"
};

static const unsigned char file19[] = {
#embed "pages/board/screens.js"
};

static const unsigned char file20[] = {
#embed "pages/board/shell.js"
};

static const unsigned char file21[] = {
#embed "pages/board/store.js"
};

static const unsigned char file22[] = {
#embed "pages/board/sync.js"
};

static const unsigned char file23[] = {
#embed "pages/board/texts-en.js"
};

static const unsigned char file24[] = {
#embed "pages/board/texts-ja.js"
};

static const unsigned char file25[] = {
#embed "pages/board/texts-ko.js"
};

static const unsigned char file26[] = {
#embed "pages/board/theme.js"
};

static const unsigned char file27[] = {
#embed "pages/board/types.js"
};

static const unsigned char file28[] = {
#embed "pages/board.html"
};

static const unsigned char file29[] = {
#embed "pages/docs/dom.js"
};

static const unsigned char file30[] = {
#embed "pages/docs/examples.js"
};

static const unsigned char file31[] = {
#embed "pages/docs/guides.js"
};

static const unsigned char file32[] = {
#embed "pages/docs/main.js"
};

static const unsigned char file33[] = {
#embed "pages/docs/markdown.js"
};

static const unsigned char file34[] = {
#embed "pages/docs/operation.js"
};

static const unsigned char file35[] = {
#embed "pages/docs/page.css"
};

static const unsigned char file36[] = {
#embed "pages/docs/schema.js"
};

static const unsigned char file37[] = {
#embed "pages/docs/search.js"
};

static const unsigned char file38[] = {
#embed "pages/docs/spec.js"
};

static const unsigned char file39[] = {
#embed "pages/docs/tryit.js"
};

static const unsigned char file40[] = {
#embed "pages/docs.css"
};

static const unsigned char file41[] = {
#embed "pages/docs.html"
};

static const unsigned char file42[] = {
#embed "pages/icons/icon-192.png"
};

static const unsigned char file43[] = {
#embed "pages/icons/icon-512.png"
};

static const unsigned char file44[] = {
#embed "pages/icons/icon.svg"
};

static const unsigned char file45[] = {
#embed "pages/icons/maskable-512.png"
};

static const unsigned char file46[] = {
#embed "pages/icons/touch-180.png"
};

static const unsigned char file47[] = {
#embed "pages/manifest.webmanifest"
};

static const unsigned char file48[] = {
#embed "pages/reset/reset.js"
};

static const unsigned char file49[] = {
#embed "pages/reset.html"
};

static const unsigned char file50[] = {
#embed "pages/worker.js"
};

static const unsigned char file51[] = {
#embed "../../docs/clients.md"
};

static const unsigned char file52[] = {
#embed "../../docs/concurrency.md"
};

static const unsigned char file53[] = {
#embed "../../docs/sync.md"
};

static const unsigned char file54[] = {
#embed "../../docs/time.md"
};

static const WebFile files[] = {
    {"openapi.json", file0, sizeof file0},
    {"openapi.yaml", file1, sizeof file1},
    {"board/account.js", file2, sizeof file2},
    {"board/actions.js", file3, sizeof file3},
    {"board/add.js", file4, sizeof file4},
    {"board/answers.js", file5, sizeof file5},
    {"board/api.js", file6, sizeof file6},
    {"board/app.js", file7, sizeof file7},
    {"board/board.css", file8, sizeof file8},
    {"board/board.js", file9, sizeof file9},
    {"board/conflicts.js", file10, sizeof file10},
    {"board/dates.js", file11, sizeof file11},
    {"board/drag.js", file12, sizeof file12},
    {"board/editor.js", file13, sizeof file13},
    {"board/engine.js", file14, sizeof file14},
    {"board/forms.js", file15, sizeof file15},
    {"board/menu.js", file16, sizeof file16},
    {"board/model.js", file17, sizeof file17},
    {"board/page.js", file18, sizeof file18},
    {"board/screens.js", file19, sizeof file19},
    {"board/shell.js", file20, sizeof file20},
    {"board/store.js", file21, sizeof file21},
    {"board/sync.js", file22, sizeof file22},
    {"board/texts-en.js", file23, sizeof file23},
    {"board/texts-ja.js", file24, sizeof file24},
    {"board/texts-ko.js", file25, sizeof file25},
    {"board/theme.js", file26, sizeof file26},
    {"board/types.js", file27, sizeof file27},
    {"board.html", file28, sizeof file28},
    {"docs/dom.js", file29, sizeof file29},
    {"docs/examples.js", file30, sizeof file30},
    {"docs/guides.js", file31, sizeof file31},
    {"docs/main.js", file32, sizeof file32},
    {"docs/markdown.js", file33, sizeof file33},
    {"docs/operation.js", file34, sizeof file34},
    {"docs/page.css", file35, sizeof file35},
    {"docs/schema.js", file36, sizeof file36},
    {"docs/search.js", file37, sizeof file37},
    {"docs/spec.js", file38, sizeof file38},
    {"docs/tryit.js", file39, sizeof file39},
    {"docs.css", file40, sizeof file40},
    {"docs.html", file41, sizeof file41},
    {"icons/icon-192.png", file42, sizeof file42},
    {"icons/icon-512.png", file43, sizeof file43},
    {"icons/icon.svg", file44, sizeof file44},
    {"icons/maskable-512.png", file45, sizeof file45},
    {"icons/touch-180.png", file46, sizeof file46},
    {"manifest.webmanifest", file47, sizeof file47},
    {"reset/reset.js", file48, sizeof file48},
    {"reset.html", file49, sizeof file49},
    {"worker.js", file50, sizeof file50},
    {"docs/clients.md", file51, sizeof file51},
    {"docs/concurrency.md", file52, sizeof file52},
    {"docs/sync.md", file53, sizeof file53},
    {"docs/time.md", file54, sizeof file54},
};

const WebFile *const web_files = files;
const unsigned long web_file_count = sizeof files / sizeof *files;
