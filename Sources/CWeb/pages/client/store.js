// Where the mirror is kept: an IndexedDB database with one object store a map, what an app gives, or nowhere.
import { apply, emptyMirror, stores } from "./mirror.js";

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

/** @typedef {{ order: number, changes: Change[], resolve: () => void, reject: (error: unknown) => void }} Writing */

export class Store {
  /** @param {string} name of the database */
  constructor(name) {
    this.name = name;
    /** @type {IDBDatabase | null} */
    this.database = null;
    /** No new connection then: this page is done with the disk, or another tab erases it. */
    this.isOver = false;
    /** @type {Set<Writing>} in the order of the edits */
    this.unwritten = new Set();
    this.order = 0;
    /** @type {Promise<void> | null} under way after the browser closed the connection */
    this.reopening = null;
    this.channel = globalThis.BroadcastChannel ? new BroadcastChannel(name) : null;
    /** @type {Change[][]} changes by other tabs while this one was reading */
    this.missed = [];
    if (this.channel) this.channel.onmessage = ({ data }) => { if (data.changes) this.missed.push(data.changes); };
    this.reading = this.load();
  }

  /** Nothing is kept where the browser allows none. */
  get isKept() {
    return this.database !== null;
  }

  async open() {
    if (this.isOver) return;
    try {
      const request = indexedDB.open(this.name, 1);
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
    await this.open();
    try {
      return await this.read();
    } catch {
      // The browser closed the connection, as iOS does in the background.
      this.forget();
      await this.open();
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
    const transaction = this.database.transaction(stores);
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
      await Promise.race([this.open(), new Promise((resolve) => { setTimeout(resolve, 10_000); })]);
      this.reopening = null;
      for (const writing of [...this.unwritten]) this.put(writing, true);
    })();
  }

  close() {
    this.isOver = true;
    this.channel?.close();
    this.database?.close();
  }
}

/** The mirror in what an app gives, or in memory alone. */
export class Keeper {
  /** @param {Adapter | null} adapter */
  constructor(adapter) {
    this.adapter = adapter;
    this.name = "";
    /** @type {BroadcastChannel | null} */
    this.channel = null;
    this.isKept = adapter !== null;
    /** @type {Change[][]} */
    this.missed = [];
    /** @type {Promise<unknown>} an adapter writes once at a time */
    this.writing = Promise.resolve();
    this.reading = this.read();
  }

  async read() {
    const mirror = emptyMirror();
    const entries = /** @type {Change[]} */ ([...await this.adapter?.read() ?? []]);
    // Those of a newer version are left alone.
    apply(mirror, entries.filter(({ store }) => store in mirror));
    return mirror;
  }

  /** @param {Change[]} changes */
  write(changes) {
    const { adapter } = this;
    // Its values are JSON: pictures stay in memory.
    const written = changes.filter(({ value }) => !(value instanceof Blob));
    if (!adapter || written.length === 0) return Promise.resolve();
    const next = this.writing.then(() => adapter.write(written));
    this.writing = next.catch(() => {});
    return next;
  }

  close() {}
}
