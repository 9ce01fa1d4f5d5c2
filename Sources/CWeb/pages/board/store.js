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

/** Where the session is kept, for all tabs; see api.js. */
export const sessionKey = "kanbase.session";

/** @param {string | null} text */
export function parsed(text) {
  try { return text ? JSON.parse(text) : null; } catch { return null; }
}

export class Store {
  /** @param {string} account */
  constructor(account) {
    this.account = account;
    /** @type {IDBDatabase | null} nothing is kept where the browser allows none */
    this.database = null;
    this.channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(prefix + account);
    /** @type {Change[][]} changes by other tabs while this one was reading */
    this.missed = [];
    if (this.channel) this.channel.onmessage = ({ data }) => { if (data.changes) this.missed.push(data.changes); };
    this.reading = this.open(account).then(() => this.read());
  }

  /** @param {string} account */
  async open(account) {
    try {
      const request = indexedDB.open(prefix + account, 1);
      request.onupgradeneeded = () => {
        for (const name of stores) request.result.createObjectStore(name);
      };
      const database = await done(request);
      // Another tab logged out and erases it.
      database.onversionchange = () => database.close();
      this.database = database;
    } catch {
      // Private windows of some browsers have no IndexedDB: the board works as long as the page is open.
    }
  }

  async read() {
    const mirror = emptyMirror();
    if (!this.database) return mirror;
    const transaction = this.database.transaction(stores, "readonly");
    await Promise.all(stores.map(async (name) => {
      const store = transaction.objectStore(name);
      const map = /** @type {Map<string, any>} */ (mirror[name]);
      // Tasks, of which there are many, know their keys.
      if (name === "task") for (const task of await done(store.getAll())) map.set(task.id, task);
      else {
        const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
        keys.forEach((key, index) => map.set(String(key), values[index]));
      }
    }));
    return mirror;
  }

  /**
   * Writes the changes in one transaction; returns once they are on disk.
   * @param {Change[]} changes
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
      // Also when the page unloads at once, as with a reload right after a key press.
      transaction.commit?.();
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  close() {
    this.channel?.close();
    this.database?.close();
  }

  /** @param {string | null} account */
  static async eraseAllBut(account) {
    const databases = (await indexedDB.databases?.().catch(() => [])) ?? [];
    const names = databases.map(({ name }) => name ?? "").filter((name) => name.startsWith(prefix) && name !== prefix + account);
    await Promise.all(names.map((name) => done(indexedDB.deleteDatabase(name))));
  }
}

/** Started while the other modules load, because it takes longer. */
const account = parsed(localStorage.getItem(sessionKey))?.account;
let early = account ? new Store(account) : null;

/** @param {string} account */
export function openStore(account) {
  const store = early?.account === account ? early : new Store(account);
  if (store !== early) early?.close();
  early = null;
  return store;
}
