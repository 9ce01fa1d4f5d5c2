// Brings what the server has: the whole state once, then its changes as they come, over a stream or, where answers cannot be read as
// streams, with requests that wait for the next change.
import { isOver, notKanbase, Problem, reasonOf } from "./connection.js";
import { apply, kept, types } from "./mirror.js";
import { receive, replace } from "./sync.js";

const path = `/changes?types=${types.join(",")}`;
const sinceOf = (/** @type {string | null} */ cursor) => (cursor ? `&since=${encodeURIComponent(cursor)}` : "");

export class Feed {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.isLive = false;
    this.stream = new AbortController();
  }

  get cursor() {
    return this.engine.mirror.meta.get("cursor");
  }

  /** @param {AbortSignal} signal of the log-in */
  async run(signal) {
    const { engine } = this;
    let wait = 500;
    const live = () => {
      wait = 250;
      this.isLive = true;
      engine.setState({ phase: "live", problem: null });
      engine.sender.push();
    };
    for (; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
      try {
        await engine.begin(signal);
        // Browsers have six connections: none for hidden tabs.
        if (globalThis.document?.hidden && !navigator.locks) await engine.pause(2 ** 31 - 1);
        await engine.writing;
        if (!this.cursor) await this.load(signal);
        if (signal.aborted) return;
        this.stream = new AbortController();
        if (!globalThis.TextDecoderStream) await this.poll(signal, live);
        else await this.follow(signal, live);
      } catch (error) {
        if (signal.aborted) return;
        const { status, retryAfter } = /** @type {any} */ (error);
        if (retryAfter) wait = retryAfter * 1000;
        if (status === 401) return engine.connection.ended();
        if (isOver(error)) {
          // Another history, or an expired cursor: load everything again, with the outbox on top.
          const before = this.cursor ?? engine.mirror.meta.get("before");
          await engine.commit([kept("before", before), kept("cursor")]);
        } else if (error instanceof Problem) engine.setState({ problem: reasonOf(error) });
      }
      if (signal.aborted) return;
      this.isLive = false;
      engine.setState({ phase: "offline" });
      await engine.pause(wait);
    }
  }

  /** @param {AbortSignal} signal @param {() => void} live */
  async follow(signal, live) {
    const { engine } = this;
    let changes = /** @type {any[]} */ ([]);
    let cursor = "";
    // The cursor must not pass what the disk refuses: a batch waits for those before it.
    const flush = async () => {
      await engine.writing;
      if (!signal.aborted) engine.commit(receive(engine.mirror, changes, cursor));
      changes = [];
    };
    await engine.connection.follow(path + sinceOf(this.cursor), this.stream.signal, (event) => {
      if (event.event === "ready") live();
      else if (event.event === "change") {
        if (changes.length === 0) flush();
        changes.push(JSON.parse(event.data));
        cursor = event.id;
      }
    });
  }

  /** @param {AbortSignal} signal @param {() => void} live */
  async poll(signal, live) {
    const { engine } = this;
    /** @type {Record<string, string>} */
    let headers = {};
    while (!signal.aborted) {
      const asked = Date.now();
      const page = await this.page(this.cursor, { signal: this.stream.signal, headers, seconds: 45 });
      if (signal.aborted) return;
      await engine.commit(receive(engine.mirror, page.changes, page.cursor));
      if (page.hasMore) continue;
      live();
      headers = { Prefer: "wait=30" };
      // A proxy may not pass on what is preferred.
      if (page.changes.length === 0 && Date.now() - asked < 1000) await engine.pause(1000);
    }
  }

  /** @param {string | null} since @param {CallOptions} [options] @returns {Promise<{changes: any[], cursor: string, hasMore: boolean}>} */
  async page(since, options) {
    const page = await this.engine.connection.call("GET", `${path}&limit=1000${sinceOf(since)}`, { seconds: 20, quiet: true, ...options });
    if (!Array.isArray(page?.changes)) throw notKanbase();
    return page;
  }

  /**
   * Loads the whole state, while nothing is sent; the mirror changes in one step unless it was empty.
   * @param {AbortSignal} signal
   */
  async load(signal) {
    const { engine } = this;
    // Sent or not.
    await engine.sender.idle.catch(() => {});
    const state = new Map();
    const isEmpty = engine.mirror.task.size + engine.mirror.category.size === 0;
    let cursor = /** @type {string | null} */ (null);
    for (let hasMore = true; hasMore;) {
      const page = await this.page(cursor, { signal });
      if (signal.aborted) return;
      for (const change of page.changes) {
        const key = `${change.type} ${change.id}`;
        if (change.deleted) state.delete(key);
        else state.set(key, change);
      }
      ({ cursor, hasMore } = page);
      if (isEmpty && hasMore) {
        // Show it early; it is written to disk when it is complete.
        const first = receive(engine.mirror, page.changes, null);
        apply(engine.mirror, first);
        engine.onChange(first);
      }
    }
    if (cursor) await engine.commit(replace(engine.mirror, state, cursor, new Date().toISOString()));
    engine.sender.push();
  }

  /** Looks at once whether the server can still be reached. */
  interrupt() {
    this.stream.abort();
    this.engine.wake();
  }

  close() {
    this.isLive = false;
    this.interrupt();
  }
}
