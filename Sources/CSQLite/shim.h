#include <sqlite3.h>
#include <stddef.h>

/// Turns off the count of allocated bytes, whose global mutex every allocation of every connection takes.
/// `sqlite3_config` is variadic, which Swift cannot call. Without effect once SQLite is initialized.
static inline int csqlite_forgo_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Takes the power from what a file may hold besides tables: its triggers and views do not run, nothing in its schema calls
/// a function that could do harm, and no statement writes what only SQLite itself may write.
/// `sqlite3_db_config` is variadic, which Swift cannot call.
static inline int csqlite_defend(sqlite3 *connection) {
    const int settings[][2] = {
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        int code = sqlite3_db_config(connection, settings[i][0], settings[i][1], NULL);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

/// Closing the connection leaves the log as it is.
static inline void csqlite_leave_log(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

// The C library has it on Linux and macOS, but its header shows it to GNU programs alone.
extern void *memmem(const void *text, size_t length, const void *wanted, size_t wantedLength);

/// Whether the bytes of `wanted` are somewhere in `text`.
static inline int csqlite_contains(const void *text, size_t length, const void *wanted, size_t wantedLength) {
    return memmem(text, length, wanted, wantedLength) != NULL;
}
