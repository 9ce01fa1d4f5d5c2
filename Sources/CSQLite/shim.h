#include <sqlite3.h>
#include <stddef.h>

/// Turns off the count of allocated bytes, whose global mutex every allocation of every connection takes.
/// `sqlite3_config` is variadic, which Swift cannot call. Without effect once SQLite is initialized.
static inline int csqlite_forgo_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// The C library has it on Linux and macOS, but its header shows it to GNU programs alone.
extern void *memmem(const void *text, size_t length, const void *wanted, size_t wantedLength);

/// Whether the bytes of `wanted` are somewhere in `text`.
static inline int csqlite_contains(const void *text, size_t length, const void *wanted, size_t wantedLength) {
    return memmem(text, length, wanted, wantedLength) != NULL;
}
