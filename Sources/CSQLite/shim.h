#include <sqlite3.h>
#include <stddef.h>

/// Turns off memory statistics, whose global mutex every allocation of every connection takes. `sqlite3_config` is
/// variadic, which Swift cannot call. It has no effect once SQLite is initialized.
static inline int csqlite_forgo_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Defends against hostile files: triggers and views do not run, the schema cannot call unsafe functions, and no statement
/// can corrupt SQLite's own tables. `sqlite3_db_config` is variadic, which Swift cannot call.
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

/// Closing the connection does not checkpoint the log.
static inline void csqlite_leave_log(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

// The C library has it on Linux and macOS, but its header declares it only under _GNU_SOURCE.
extern void *memmem(const void *text, size_t length, const void *wanted, size_t wantedLength);

/// True if `text` contains the bytes of `wanted`.
static inline int csqlite_contains(const void *text, size_t length, const void *wanted, size_t wantedLength) {
    return memmem(text, length, wanted, wantedLength) != NULL;
}
