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
#embed "pages/docs.css"
};

static const unsigned char file6[] = {
#embed "pages/docs.html"
};

static const unsigned char file7[] = {
#embed "pages/icons/icon-192.png"
};

static const unsigned char file8[] = {
#embed "pages/icons/icon-512.png"
};

static const unsigned char file9[] = {
#embed "pages/icons/icon.svg"
};

static const unsigned char file10[] = {
#embed "pages/icons/maskable-512.png"
};

static const unsigned char file11[] = {
#embed "pages/icons/touch-180.png"
};

static const unsigned char file12[] = {
#embed "pages/manifest.webmanifest"
};

static const unsigned char file13[] = {
#embed "pages/worker.js"
};

static const WebFile files[] = {
    {"openapi.json", file0, sizeof file0},
    {"openapi.yaml", file1, sizeof file1},
    {"board/board.css", file2, sizeof file2},
    {"board/board.js", file3, sizeof file3},
    {"board.html", file4, sizeof file4},
    {"docs.css", file5, sizeof file5},
    {"docs.html", file6, sizeof file6},
    {"icons/icon-192.png", file7, sizeof file7},
    {"icons/icon-512.png", file8, sizeof file8},
    {"icons/icon.svg", file9, sizeof file9},
    {"icons/maskable-512.png", file10, sizeof file10},
    {"icons/touch-180.png", file11, sizeof file11},
    {"manifest.webmanifest", file12, sizeof file12},
    {"worker.js", file13, sizeof file13},
};

const WebFile *const web_files = files;
const unsigned long web_file_count = sizeof files / sizeof *files;
