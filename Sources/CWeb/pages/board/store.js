// The mirror on disk: one IndexedDB database an account, one object store a map.
import { emptyMirror, stores } from "./sync.js";

const prefix = "kanbase-";

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export class Store {
  /** @param {IDBDatabase | null} database  null: nothing is kept, for the browser allows none */
  constructor(database) {
    this.database = database;
  }

  /** @param {string} account */
  static async open(account) {
    try {
      const request = indexedDB.open(prefix + account, 1);
      request.onupgradeneeded = () => {
        for (const name of stores) request.result.createObjectStore(name);
      };
      const database = await done(request);
      // Another tab logged out and erases it.
      database.onversionchange = () => database.close();
      return new Store(database);
    } catch {
      // Private windows of some browsers have no IndexedDB: the board works as long as the page is open.
      return new Store(null);
    }
  }

  /** Reads everything, in one transaction. */
  async read() {
    const mirror = emptyMirror();
    if (!this.database) return mirror;
    const transaction = this.database.transaction(stores, "readonly");
    await Promise.all(stores.map(async (name) => {
      const store = transaction.objectStore(name);
      const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
      keys.forEach((key, index) => /** @type {Map<string, any>} */ (mirror[name]).set(String(key), values[index]));
    }));
    return mirror;
  }

  /**
   * Writes the changes in one transaction; returns once they are on disk.
   * @param {import("./types.js").Change[]} changes
   */
  write(changes) {
    const { database } = this;
    if (!database || changes.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const names = [...new Set(changes.map((change) => change.store))];
      const transaction = database.transaction(names, "readwrite");
      for (const { store, key, value } of changes) {
        if (value === undefined) transaction.objectStore(store).delete(key);
        else transaction.objectStore(store).put(value, key);
      }
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  close() {
    this.database?.close();
  }

  /**
   * Erases what is kept of all accounts but one.
   * @param {string | null} account
   */
  static async eraseAllBut(account) {
    const databases = (await indexedDB.databases?.()) ?? [];
    const names = databases.map(({ name }) => name ?? "").filter((name) => name.startsWith(prefix) && name !== prefix + account);
    await Promise.all(names.map((name) => done(indexedDB.deleteDatabase(name))));
  }
}
