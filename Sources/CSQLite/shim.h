#include <sqlite3.h>

/// Turns off the count of allocated bytes, whose global mutex every allocation of every connection takes.
/// `sqlite3_config` is variadic, which Swift cannot call. Without effect once SQLite is initialized.
static inline int csqlite_forgo_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
