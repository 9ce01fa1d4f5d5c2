// The files that the server gives out, as they are in the source tree, within the binary.
#ifndef KANBASE_WEB_H
#define KANBASE_WEB_H

typedef struct {
    // Below `pages`, such as "board/sync.js"; or the name of an OpenAPI document.
    const char *path;
    const unsigned char *bytes;
    unsigned long count;
} WebFile;

extern const WebFile *const web_files;
extern const unsigned long web_file_count;

#endif
