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
#embed "pages/board/archive.js"
};

static const unsigned char file9[] = {
#embed "pages/board/board.css"
};

static const unsigned char file10[] = {
#embed "pages/board/board.js"
};

static const unsigned char file11[] = {
#embed "pages/board/choice.js"
};

static const unsigned char file12[] = {
#embed "pages/board/conflicts.js"
};

static const unsigned char file13[] = {
#embed "pages/board/dates.js"
};

static const unsigned char file14[] = {
#embed "pages/board/device.js"
};

static const unsigned char file15[] = {
#embed "pages/board/drag.js"
};

static const unsigned char file16[] = {
#embed "pages/board/editor-form.js"
};

static const unsigned char file17[] = {
#embed "pages/board/editor.js"
};

static const unsigned char file18[] = {
#embed "pages/board/engine.js"
};

static const unsigned char file19[] = {
#embed "pages/board/fields.js"
};

static const unsigned char file20[] = {
#embed "pages/board/forms.js"
};

static const unsigned char file21[] = {
#embed "pages/board/glide.js"
};

static const unsigned char file22[] = {
#embed "pages/board/login.js"
};

static const unsigned char file23[] = {
#embed "pages/board/menu.js"
};

static const unsigned char file24[] = {
#embed "pages/board/mirror.js"
};

static const unsigned char file25[] = {
#embed "pages/board/model.js"
};

static const unsigned char file26[] = {
#embed "pages/board/notes.js"
};

static const unsigned char file27[] = {
#embed "pages/board/notices.js"
};

static const unsigned char file28[] = {
#embed "pages/board/page.js"
};

static const unsigned char file29[] = {
#embed "pages/board/picks.js"
};

static const unsigned char file30[] = {
#embed "pages/board/providers.js"
};

static const unsigned char file31[] = {
#embed "pages/board/push.js"
};

static const unsigned char file32[] = {
#embed "pages/board/quick.js"
};

static const unsigned char file33[] = {
#embed "pages/board/recurrence.js"
};

static const unsigned char file34[] = {
#embed "pages/board/reminders.js"
};

static const unsigned char file35[] = {
#embed "pages/board/repeat-field.js"
};

static const unsigned char file36[] = {
#embed "pages/board/repeat.js"
};

static const unsigned char file37[] = {
#embed "pages/board/screens.js"
};

static const unsigned char file38[] = {
#embed "pages/board/sender.js"
};

static const unsigned char file39[] = {
#embed "pages/board/series.js"
};

static const unsigned char file40[] = {
#embed "pages/board/settings.js"
};

static const unsigned char file41[] = {
#embed "pages/board/shell.js"
};

static const unsigned char file42[] = {
#embed "pages/board/store.js"
};

static const unsigned char file43[] = {
#embed "pages/board/sync.js"
};

static const unsigned char file44[] = {
#embed "pages/board/texts-en.js"
};

static const unsigned char file45[] = {
#embed "pages/board/texts-ja.js"
};

static const unsigned char file46[] = {
#embed "pages/board/texts-ko.js"
};

static const unsigned char file47[] = {
#embed "pages/board/theme.js"
};

static const unsigned char file48[] = {
#embed "pages/board/types.js"
};

static const unsigned char file49[] = {
#embed "pages/board/visit.js"
};

static const unsigned char file50[] = {
#embed "pages/board/welcome.js"
};

static const unsigned char file51[] = {
#embed "pages/board/words.js"
};

static const unsigned char file52[] = {
#embed "pages/board.html"
};

static const unsigned char file53[] = {
#embed "pages/docs/dom.js"
};

static const unsigned char file54[] = {
#embed "pages/docs/examples.js"
};

static const unsigned char file55[] = {
#embed "pages/docs/guides.js"
};

static const unsigned char file56[] = {
#embed "pages/docs/main.js"
};

static const unsigned char file57[] = {
#embed "pages/docs/markdown.js"
};

static const unsigned char file58[] = {
#embed "pages/docs/operation.js"
};

static const unsigned char file59[] = {
#embed "pages/docs/page.css"
};

static const unsigned char file60[] = {
#embed "pages/docs/schema.js"
};

static const unsigned char file61[] = {
#embed "pages/docs/search.js"
};

static const unsigned char file62[] = {
#embed "pages/docs/spec.js"
};

static const unsigned char file63[] = {
#embed "pages/docs/tryit.js"
};

static const unsigned char file64[] = {
#embed "pages/docs.css"
};

static const unsigned char file65[] = {
#embed "pages/docs.html"
};

static const unsigned char file66[] = {
#embed "pages/icons/icon-192.png"
};

static const unsigned char file67[] = {
#embed "pages/icons/icon-512.png"
};

static const unsigned char file68[] = {
#embed "pages/icons/icon.svg"
};

static const unsigned char file69[] = {
#embed "pages/icons/maskable-512.png"
};

static const unsigned char file70[] = {
#embed "pages/icons/touch-180.png"
};

static const unsigned char file71[] = {
#embed "pages/manifest.webmanifest"
};

static const unsigned char file72[] = {
#embed "pages/reset/reset.js"
};

static const unsigned char file73[] = {
#embed "pages/reset.html"
};

static const unsigned char file74[] = {
#embed "pages/worker.js"
};

static const unsigned char file75[] = {
#embed "../../docs/clients.md"
};

static const unsigned char file76[] = {
#embed "../../docs/concurrency.md"
};

static const unsigned char file77[] = {
#embed "../../docs/recurrence.md"
};

static const unsigned char file78[] = {
#embed "../../docs/sync.md"
};

static const unsigned char file79[] = {
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
    {"board/archive.js", file8, sizeof file8},
    {"board/board.css", file9, sizeof file9},
    {"board/board.js", file10, sizeof file10},
    {"board/choice.js", file11, sizeof file11},
    {"board/conflicts.js", file12, sizeof file12},
    {"board/dates.js", file13, sizeof file13},
    {"board/device.js", file14, sizeof file14},
    {"board/drag.js", file15, sizeof file15},
    {"board/editor-form.js", file16, sizeof file16},
    {"board/editor.js", file17, sizeof file17},
    {"board/engine.js", file18, sizeof file18},
    {"board/fields.js", file19, sizeof file19},
    {"board/forms.js", file20, sizeof file20},
    {"board/glide.js", file21, sizeof file21},
    {"board/login.js", file22, sizeof file22},
    {"board/menu.js", file23, sizeof file23},
    {"board/mirror.js", file24, sizeof file24},
    {"board/model.js", file25, sizeof file25},
    {"board/notes.js", file26, sizeof file26},
    {"board/notices.js", file27, sizeof file27},
    {"board/page.js", file28, sizeof file28},
    {"board/picks.js", file29, sizeof file29},
    {"board/providers.js", file30, sizeof file30},
    {"board/push.js", file31, sizeof file31},
    {"board/quick.js", file32, sizeof file32},
    {"board/recurrence.js", file33, sizeof file33},
    {"board/reminders.js", file34, sizeof file34},
    {"board/repeat-field.js", file35, sizeof file35},
    {"board/repeat.js", file36, sizeof file36},
    {"board/screens.js", file37, sizeof file37},
    {"board/sender.js", file38, sizeof file38},
    {"board/series.js", file39, sizeof file39},
    {"board/settings.js", file40, sizeof file40},
    {"board/shell.js", file41, sizeof file41},
    {"board/store.js", file42, sizeof file42},
    {"board/sync.js", file43, sizeof file43},
    {"board/texts-en.js", file44, sizeof file44},
    {"board/texts-ja.js", file45, sizeof file45},
    {"board/texts-ko.js", file46, sizeof file46},
    {"board/theme.js", file47, sizeof file47},
    {"board/types.js", file48, sizeof file48},
    {"board/visit.js", file49, sizeof file49},
    {"board/welcome.js", file50, sizeof file50},
    {"board/words.js", file51, sizeof file51},
    {"board.html", file52, sizeof file52},
    {"docs/dom.js", file53, sizeof file53},
    {"docs/examples.js", file54, sizeof file54},
    {"docs/guides.js", file55, sizeof file55},
    {"docs/main.js", file56, sizeof file56},
    {"docs/markdown.js", file57, sizeof file57},
    {"docs/operation.js", file58, sizeof file58},
    {"docs/page.css", file59, sizeof file59},
    {"docs/schema.js", file60, sizeof file60},
    {"docs/search.js", file61, sizeof file61},
    {"docs/spec.js", file62, sizeof file62},
    {"docs/tryit.js", file63, sizeof file63},
    {"docs.css", file64, sizeof file64},
    {"docs.html", file65, sizeof file65},
    {"icons/icon-192.png", file66, sizeof file66},
    {"icons/icon-512.png", file67, sizeof file67},
    {"icons/icon.svg", file68, sizeof file68},
    {"icons/maskable-512.png", file69, sizeof file69},
    {"icons/touch-180.png", file70, sizeof file70},
    {"manifest.webmanifest", file71, sizeof file71},
    {"reset/reset.js", file72, sizeof file72},
    {"reset.html", file73, sizeof file73},
    {"worker.js", file74, sizeof file74},
    {"docs/clients.md", file75, sizeof file75},
    {"docs/concurrency.md", file76, sizeof file76},
    {"docs/recurrence.md", file77, sizeof file77},
    {"docs/sync.md", file78, sizeof file78},
    {"docs/time.md", file79, sizeof file79},
};

const WebFile *const web_files = files;
const unsigned long web_file_count = sizeof files / sizeof *files;
