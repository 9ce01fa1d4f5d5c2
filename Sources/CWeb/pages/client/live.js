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
    for (const watcher of [...this.watchers]) {
      try {
        // One before it may have ended it.
        if (this.watchers.has(watcher)) watcher();
      } catch (error) {
        // A fault of the app must not end the sync.
        (globalThis.reportError ?? console.error)(error);
      }
    }
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
    let last = this.value;
    const watcher = () => {
      const { value } = this;
      if (value === last) return;
      last = value;
      run(value);
    };
    // Before it is added: who could end it if this throws?
    run(last);
    this.#source.watchers.add(watcher);
    // What has changed meanwhile.
    watcher();
    return () => void this.#source.watchers.delete(watcher);
  }

  /**
   * Now, and after each change: the newest, without those between. Ends when the board is closed. Not a generator, which could not be
   * ended while it waits.
   * @returns {AsyncIterator<T>}
   */
  [Symbol.asyncIterator]() {
    const { signal } = this.#source;
    let [isNew, isOver] = [false, signal.aborted];
    /** @type {((result: IteratorResult<T, undefined>) => void)[]} */
    const waiting = [];
    const give = () => {
      while (waiting.length > 0 && (isNew || isOver)) {
        isNew = false;
        waiting.shift()?.(isOver ? { done: true, value: undefined } : { done: false, value: this.value });
      }
    };
    const stop = this.subscribe(() => { isNew = true; give(); });
    const end = () => { isOver = true; stop(); give(); };
    signal.addEventListener("abort", end, { once: true });
    return {
      next: () => new Promise((resolve) => { waiting.push(resolve); give(); }),
      return: async () => {
        signal.removeEventListener("abort", end);
        end();
        return { done: true, value: undefined };
      },
    };
  }
}

/** @param {any} a @param {any} b @returns {boolean} */
function isAlike(a, b) {
  if (Array.isArray(a)) return a.length === b.length && a.every((item, index) => item === b[index] || JSON.stringify(item) === JSON.stringify(b[index]));
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
