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
#embed "pages/board/fields.js"
};

static const unsigned char file19[] = {
#embed "pages/board/forms.js"
};

static const unsigned char file20[] = {
#embed "pages/board/glide.js"
};

static const unsigned char file21[] = {
#embed "pages/board/imports.js"
};

static const unsigned char file22[] = {
#embed "pages/board/login.js"
};

static const unsigned char file23[] = {
#embed "pages/board/menu.js"
};

static const unsigned char file24[] = {
#embed "pages/board/model.js"
};

static const unsigned char file25[] = {
#embed "pages/board/notes.js"
};

static const unsigned char file26[] = {
#embed "pages/board/notices.js"
};

static const unsigned char file27[] = {
#embed "pages/board/page.js"
};

static const unsigned char file28[] = {
#embed "pages/board/picks.js"
};

static const unsigned char file29[] = {
#embed "pages/board/providers.js"
};

static const unsigned char file30[] = {
#embed "pages/board/push.js"
};

static const unsigned char file31[] = {
#embed "pages/board/quick.js"
};

static const unsigned char file32[] = {
#embed "pages/board/reminders.js"
};

static const unsigned char file33[] = {
#embed "pages/board/repeat-field.js"
};

static const unsigned char file34[] = {
#embed "pages/board/repeat.js"
};

static const unsigned char file35[] = {
#embed "pages/board/screens.js"
};

static const unsigned char file36[] = {
#embed "pages/board/settings.js"
};

static const unsigned char file37[] = {
#embed "pages/board/shell.js"
};

static const unsigned char file38[] = {
#embed "pages/board/store.js"
};

static const unsigned char file39[] = {
#embed "pages/board/texts-en.js"
};

static const unsigned char file40[] = {
#embed "pages/board/texts-ja.js"
};

static const unsigned char file41[] = {
#embed "pages/board/texts-ko.js"
};

static const unsigned char file42[] = {
#embed "pages/board/theme.js"
};

static const unsigned char file43[] = {
#embed "pages/board/types.js"
};

static const unsigned char file44[] = {
#embed "pages/board/visit.js"
};

static const unsigned char file45[] = {
#embed "pages/board/welcome.js"
};

static const unsigned char file46[] = {
#embed "pages/board/words.js"
};

static const unsigned char file47[] = {
#embed "pages/board.html"
};

static const unsigned char file48[] = {
#embed "pages/client/access.js"
};

static const unsigned char file49[] = {
#embed "pages/client/board.js"
};

static const unsigned char file50[] = {
#embed "pages/client/catch-up.js"
};

static const unsigned char file51[] = {
#embed "pages/client/connection.js"
};

static const unsigned char file52[] = {
#embed "pages/client/engine.js"
};

static const unsigned char file53[] = {
#embed "pages/client/feed.js"
};

static const unsigned char file54[] = {
#embed "pages/client/images.js"
};

static const unsigned char file55[] = {
#embed "pages/client/issues.js"
};

static const unsigned char file56[] = {
#embed "pages/client/kanbase.js"
};

static const unsigned char file57[] = {
#embed "pages/client/live.js"
};

static const unsigned char file58[] = {
#embed "pages/client/mirror.js"
};

static const unsigned char file59[] = {
#embed "pages/client/recurrence.js"
};

static const unsigned char file60[] = {
#embed "pages/client/sender.js"
};

static const unsigned char file61[] = {
#embed "pages/client/series.js"
};

static const unsigned char file62[] = {
#embed "pages/client/steps.js"
};

static const unsigned char file63[] = {
#embed "pages/client/store.js"
};

static const unsigned char file64[] = {
#embed "pages/client/sync.js"
};

static const unsigned char file65[] = {
#embed "pages/client/trash.js"
};

static const unsigned char file66[] = {
#embed "pages/client/types.js"
};

static const unsigned char file67[] = {
#embed "pages/client/views.js"
};

static const unsigned char file68[] = {
#embed "pages/client/words.js"
};

static const unsigned char file69[] = {
#embed "pages/docs/dom.js"
};

static const unsigned char file70[] = {
#embed "pages/docs/examples.js"
};

static const unsigned char file71[] = {
#embed "pages/docs/guides.js"
};

static const unsigned char file72[] = {
#embed "pages/docs/main.js"
};

static const unsigned char file73[] = {
#embed "pages/docs/markdown.js"
};

static const unsigned char file74[] = {
#embed "pages/docs/operation.js"
};

static const unsigned char file75[] = {
#embed "pages/docs/page.css"
};

static const unsigned char file76[] = {
#embed "pages/docs/schema.js"
};

static const unsigned char file77[] = {
#embed "pages/docs/search.js"
};

static const unsigned char file78[] = {
#embed "pages/docs/spec.js"
};

static const unsigned char file79[] = {
#embed "pages/docs/tryit.js"
};

static const unsigned char file80[] = {
#embed "pages/docs.css"
};

static const unsigned char file81[] = {
#embed "pages/docs.html"
};

static const unsigned char file82[] = {
#embed "pages/icons/icon-192.png"
};

static const unsigned char file83[] = {
#embed "pages/icons/icon-512.png"
};

static const unsigned char file84[] = {
#embed "pages/icons/icon.svg"
};

static const unsigned char file85[] = {
#embed "pages/icons/maskable-512.png"
};

static const unsigned char file86[] = {
#embed "pages/icons/touch-180.png"
};

static const unsigned char file87[] = {
#embed "pages/kanbase.d.ts"
};

static const unsigned char file88[] = {
#embed "pages/manifest.webmanifest"
};

static const unsigned char file89[] = {
#embed "pages/reset/reset.js"
};

static const unsigned char file90[] = {
#embed "pages/reset.html"
};

static const unsigned char file91[] = {
#embed "pages/worker.js"
};

static const unsigned char file92[] = {
#embed "../../docs/clients.md"
};

static const unsigned char file93[] = {
#embed "../../docs/concurrency.md"
};

static const unsigned char file94[] = {
#embed "../../docs/recurrence.md"
};

static const unsigned char file95[] = {
#embed "../../docs/sync.md"
};

static const unsigned char file96[] = {
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
    {"board/fields.js", file18, sizeof file18},
    {"board/forms.js", file19, sizeof file19},
    {"board/glide.js", file20, sizeof file20},
    {"board/imports.js", file21, sizeof file21},
    {"board/login.js", file22, sizeof file22},
    {"board/menu.js", file23, sizeof file23},
    {"board/model.js", file24, sizeof file24},
    {"board/notes.js", file25, sizeof file25},
    {"board/notices.js", file26, sizeof file26},
    {"board/page.js", file27, sizeof file27},
    {"board/picks.js", file28, sizeof file28},
    {"board/providers.js", file29, sizeof file29},
    {"board/push.js", file30, sizeof file30},
    {"board/quick.js", file31, sizeof file31},
    {"board/reminders.js", file32, sizeof file32},
    {"board/repeat-field.js", file33, sizeof file33},
    {"board/repeat.js", file34, sizeof file34},
    {"board/screens.js", file35, sizeof file35},
    {"board/settings.js", file36, sizeof file36},
    {"board/shell.js", file37, sizeof file37},
    {"board/store.js", file38, sizeof file38},
    {"board/texts-en.js", file39, sizeof file39},
    {"board/texts-ja.js", file40, sizeof file40},
    {"board/texts-ko.js", file41, sizeof file41},
    {"board/theme.js", file42, sizeof file42},
    {"board/types.js", file43, sizeof file43},
    {"board/visit.js", file44, sizeof file44},
    {"board/welcome.js", file45, sizeof file45},
    {"board/words.js", file46, sizeof file46},
    {"board.html", file47, sizeof file47},
    {"client/access.js", file48, sizeof file48},
    {"client/board.js", file49, sizeof file49},
    {"client/catch-up.js", file50, sizeof file50},
    {"client/connection.js", file51, sizeof file51},
    {"client/engine.js", file52, sizeof file52},
    {"client/feed.js", file53, sizeof file53},
    {"client/images.js", file54, sizeof file54},
    {"client/issues.js", file55, sizeof file55},
    {"client/kanbase.js", file56, sizeof file56},
    {"client/live.js", file57, sizeof file57},
    {"client/mirror.js", file58, sizeof file58},
    {"client/recurrence.js", file59, sizeof file59},
    {"client/sender.js", file60, sizeof file60},
    {"client/series.js", file61, sizeof file61},
    {"client/steps.js", file62, sizeof file62},
    {"client/store.js", file63, sizeof file63},
    {"client/sync.js", file64, sizeof file64},
    {"client/trash.js", file65, sizeof file65},
    {"client/types.js", file66, sizeof file66},
    {"client/views.js", file67, sizeof file67},
    {"client/words.js", file68, sizeof file68},
    {"docs/dom.js", file69, sizeof file69},
    {"docs/examples.js", file70, sizeof file70},
    {"docs/guides.js", file71, sizeof file71},
    {"docs/main.js", file72, sizeof file72},
    {"docs/markdown.js", file73, sizeof file73},
    {"docs/operation.js", file74, sizeof file74},
    {"docs/page.css", file75, sizeof file75},
    {"docs/schema.js", file76, sizeof file76},
    {"docs/search.js", file77, sizeof file77},
    {"docs/spec.js", file78, sizeof file78},
    {"docs/tryit.js", file79, sizeof file79},
    {"docs.css", file80, sizeof file80},
    {"docs.html", file81, sizeof file81},
    {"icons/icon-192.png", file82, sizeof file82},
    {"icons/icon-512.png", file83, sizeof file83},
    {"icons/icon.svg", file84, sizeof file84},
    {"icons/maskable-512.png", file85, sizeof file85},
    {"icons/touch-180.png", file86, sizeof file86},
    {"kanbase.d.ts", file87, sizeof file87},
    {"manifest.webmanifest", file88, sizeof file88},
    {"reset/reset.js", file89, sizeof file89},
    {"reset.html", file90, sizeof file90},
    {"worker.js", file91, sizeof file91},
    {"docs/clients.md", file92, sizeof file92},
    {"docs/concurrency.md", file93, sizeof file93},
    {"docs/recurrence.md", file94, sizeof file94},
    {"docs/sync.md", file95, sizeof file95},
    {"docs/time.md", file96, sizeof file96},
};

const WebFile *const web_files = files;
const unsigned long web_file_count = sizeof files / sizeof *files;
