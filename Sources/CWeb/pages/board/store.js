// The mirror on disk: one IndexedDB database an account, one object store a map.
import { emptyMirror, stores } from "./mirror.js";

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

/** @typedef {{ order: number, changes: Change[], resolve: () => void, reject: (error: unknown) => void }} Writing */

export class Store {
  /** @param {string} account */
  constructor(account) {
    this.account = account;
    /** @type {IDBDatabase | null} nothing is kept where the browser allows none */
    this.database = null;
    /** No new connection then: this page is done with the disk, or another tab erases it. */
    this.isOver = false;
    /** @type {Set<Writing>} in the order of the edits */
    this.unwritten = new Set();
    this.order = 0;
    /** @type {Promise<void> | null} under way after the browser closed the connection */
    this.reopening = null;
    this.channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(prefix + account);
    /** @type {Change[][]} changes by other tabs while this one was reading */
    this.missed = [];
    if (this.channel) this.channel.onmessage = ({ data }) => { if (data.changes) this.missed.push(data.changes); };
    this.reading = this.load();
  }

  /** @param {string} account */
  async open(account) {
    if (this.isOver) return;
    try {
      const request = indexedDB.open(prefix + account, 1);
      const isAgain = this.database !== null;
      request.onupgradeneeded = () => {
        // The browser deleted everything. A part of it with a cursor would hide the rest for ever.
        if (isAgain) request.transaction?.abort();
        else for (const name of stores) request.result.createObjectStore(name);
      };
      const database = await done(request);
      // Another tab logged out and erases it.
      database.onversionchange = () => { this.isOver = true; database.close(); };
      if (this.isOver) database.close();
      else this.database = database;
    } catch {
      // Private windows of some browsers have no IndexedDB: the board works as long as the page is open.
    }
  }

  /** All that is on the disk, once. */
  async load() {
    await this.open(this.account);
    try {
      return await this.read();
    } catch {
      // The browser closed the connection, as iOS does in the background.
      this.forget();
      await this.open(this.account);
    }
    return this.read().catch(() => { this.forget(); return emptyMirror(); });
  }

  /** What is written without having been read would be a part of it. */
  forget() {
    this.database?.close();
    this.database = null;
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
    if (!this.database || changes.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const writing = { order: this.order++, changes, resolve: () => resolve(undefined), reject };
      this.unwritten.add(writing);
      if (!this.reopening) this.put(writing);
    });
  }

  /** @param {Writing} writing @param {boolean} [isAgain] over a new connection; a second failure is final */
  put(writing, isAgain = false) {
    const { database, unwritten } = this;
    const { changes } = writing;
    const failed = (/** @type {DOMException | null} */ error) => {
      // Browsers close connections by themselves (iOS in the background), some without telling: what was under way ends
      // with one of these errors, what begins later throws the last.
      const isClosed = error && ["AbortError", "UnknownError", "InvalidStateError"].includes(error.name);
      if (isClosed && !isAgain && !this.isOver) return this.reopen();
      unwritten.delete(writing);
      writing.reject(error);
    };
    if (!database) return failed(null);
    if (changes.length === 0) { unwritten.delete(writing); return writing.resolve(); }
    try {
      const transaction = database.transaction([...new Set(changes.map((change) => change.store))], "readwrite");
      for (const { store, key, value } of changes) {
        if (value === undefined) transaction.objectStore(store).delete(key);
        else transaction.objectStore(store).put(value, key);
      }
      // Also when the page unloads at once, as with a reload right after a key press.
      transaction.commit?.();
      transaction.oncomplete = () => {
        unwritten.delete(writing);
        // An older one that is tried again must not undo this one.
        for (const older of unwritten) {
          if (older.order < writing.order) older.changes = older.changes.filter(({ store, key }) => !changes.some((change) => change.store === store && change.key === key));
        }
        writing.resolve();
      };
      transaction.onabort = () => failed(transaction.error);
    } catch (error) {
      failed(/** @type {DOMException} */ (error));
    }
  }

  /** Opens a new connection and writes over it what has not been written. */
  reopen() {
    this.reopening ??= (async () => {
      this.database?.close();
      // Some versions of Safari never answer; what waits here is sent only afterwards.
      await Promise.race([this.open(this.account), new Promise((resolve) => { setTimeout(resolve, 10_000); })]);
      this.reopening = null;
      for (const writing of [...this.unwritten]) this.put(writing, true);
    })();
  }

  close() {
    this.isOver = true;
    this.channel?.close();
    this.database?.close();
  }

  /** @param {string | null} account */
  static async eraseAllBut(account) {
    const databases = await (async () => indexedDB.databases?.())().catch(() => []) ?? [];
    const names = databases.map(({ name }) => name ?? "").filter((name) => name.startsWith(prefix) && name !== prefix + account);
    // What cannot be erased now is erased at the next log-in.
    await Promise.all(names.map((name) => done(indexedDB.deleteDatabase(name)).catch(() => {})));
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
