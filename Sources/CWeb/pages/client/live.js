// A value that changes, for a loop and, as a store, for a framework.

/** What live values are read from: `version` counts its changes, and `signal` ends them. */
export class Source {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.version = 0;
    /** @type {Set<() => void>} */
    this.watchers = new Set();
  }

  changed() {
    this.version += 1;
    for (const watcher of [...this.watchers]) watcher();
  }
}

/** @template T */
export class Live {
  #source;
  #read;
  #version = -1;
  /** @type {T | undefined} */
  #value;

  /** @param {Source} source @param {() => T} read */
  constructor(source, read) {
    this.#source = source;
    this.#read = read;
  }

  /** @returns {T} the same object until something in it changes */
  get value() {
    if (this.#version !== this.#source.version) {
      const next = this.#read();
      if (this.#version < 0 || !isAlike(next, this.#value)) this.#value = frozen(next);
      this.#version = this.#source.version;
    }
    return /** @type {T} */ (this.#value);
  }

  /** @param {(value: T) => void} run called at once, and with each new value @returns {() => void} stops it */
  subscribe(run) {
    /** @type {T | undefined} */
    let last;
    let isFirst = true;
    const watcher = () => {
      const { value } = this;
      if (!isFirst && value === last) return;
      isFirst = false;
      last = value;
      run(value);
    };
    this.#source.watchers.add(watcher);
    watcher();
    return () => void this.#source.watchers.delete(watcher);
  }

  /** Now, and after each change: the newest, without those between. Ends when the board is closed. */
  async *[Symbol.asyncIterator]() {
    const { signal } = this.#source;
    let isNew = false;
    let wake = () => {};
    const stop = this.subscribe(() => { isNew = true; wake(); });
    const end = () => wake();
    signal.addEventListener("abort", end);
    try {
      while (!signal.aborted) {
        if (!isNew) await new Promise((resolve) => { wake = () => resolve(undefined); });
        if (!isNew) continue;
        isNew = false;
        yield this.value;
      }
    } finally {
      stop();
      signal.removeEventListener("abort", end);
    }
  }
}

/** @param {any} a @param {any} b @returns {boolean} */
function isAlike(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => item === b[index] || JSON.stringify(item) === JSON.stringify(b[index]));
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * So that an app that changes a value does not change the mirror.
 * @template T
 * @param {T} value @returns {T}
 */
export function frozen(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
