// Synchronizes the mirror in memory, its copy on disk and the server. All tabs of an account share the disk: the tab that
// holds the lock talks to the server, and gets the edits of the others over the disk and a channel.
import { access, call, follow, uuid } from "./api.js";
import { apply, emptyMirror, mutate, noDraft, types } from "./mirror.js";
import { Sender } from "./sender.js";
import { joined, receive, replace } from "./sync.js";

const feedTypes = types.join(",");

export class Engine {
  /** @param {string} account @param {Store} store */
  constructor(account, store) {
    this.account = account;
    this.store = store;
    this.mirror = emptyMirror();
    /** @type {State} */
    this.state = { phase: "loading", sending: false, full: false };
    /** @type {(changes: Change[], isOther?: boolean) => void} */
    this.onChange = () => {};
    /** @type {() => void} */
    this.onState = () => {};
    /** @type {() => void} called when the disk cannot be written any more */
    this.onDiskFault = () => {};
    /** @type {Map<string, () => void>} writes the words that this page shows, by the key of their draft */
    this.typed = new Map();
    this.isDiskLost = false;
    this.isLeading = false;
    this.isFollowing = false;
    this.sender = new Sender(this);
    this.closing = new AbortController();
    this.lastKey = "";
    this.wake = () => {};
    this.channel = store.channel;
    /** @type {Promise<unknown>} all that is on its way to the disk */
    this.writing = Promise.resolve();
  }

  async start() {
    this.mirror = await this.store.reading;
    if (this.closing.signal.aborted) return;
    for (const changes of this.store.missed) apply(this.mirror, this.shared(changes));
    // Known before the next answer.
    this.state.full = this.mirror.meta.get("full") === true;
    if (this.channel) {
      this.channel.onmessage = ({ data }) => {
        if (data.changes) this.take(data.changes);
        else if (data.state && !this.isLeading) this.setState(data.state);
        else if (data.hello && this.isLeading) this.channel?.postMessage({ state: this.state });
      };
    }
    this.lead();
    this.channel?.postMessage({ hello: true });
    this.tellUnsent();
  }

  /** Tells the tab that sends what waits: a page that goes away writes its last words, and can no more tell once they are on disk. */
  tellUnsent() {
    const changes = [...this.mirror.outbox].map(([key, value]) => ({ store: "outbox", key, value }));
    if (changes.length > 0) this.channel?.postMessage({ changes });
  }

  /** @param {Change[]} changes by another tab */
  take(changes) {
    apply(this.mirror, this.shared(changes));
    this.onChange(changes, true);
    // Another tab saved or deleted its words. Those that this one shows stay a draft.
    for (const { store, key, value } of changes) if (store === "draft" && !value) this.typed.get(key)?.();
    if (changes.some((change) => change.store === "outbox" && change.value)) this.sender.push();
  }

  /**
   * Changes the mirror at once, then the disk, then the other tabs. Resolves when they are on disk.
   * @param {Change[]} changes
   */
  async commit(changes) {
    if (changes.length === 0 || this.closing.signal.aborted) return;
    apply(this.mirror, changes);
    const writing = this.store.write(this.shared(changes)).catch(() => {
      if (!this.isDiskLost) this.onDiskFault();
      this.isDiskLost = true;
    });
    this.writing = this.writing.then(() => writing);
    this.onChange(changes);
    await writing;
    if (!this.closing.signal.aborted) this.channel?.postMessage({ changes: this.shared(changes) });
  }

  /**
   * An edit of the user: shown at once, sent when the server can be reached.
   * @param {Intent[]} intents @param {Change[]} [also] what changes with them, such as a draft that is saved
   */
  async edit(intents, also = []) {
    const changes = [...also];
    for (const intent of intents) {
      const made = { mutationId: uuid(), key: this.nextKey(), at: new Date().toISOString() };
      // What is on its way has its answer before it.
      const [whole, former] = this.state.sending ? [intent, []] : joined(this.mirror, intent);
      apply(this.mirror, former);
      const own = mutate(this.mirror, whole, made);
      apply(this.mirror, own);
      changes.push(...former, ...own);
    }
    await this.commit(changes);
    this.sender.push();
  }

  /**
   * Keeps what is being typed; nothing deletes the draft.
   * @param {string} key @param {Record<string, any>} fields
   * @param {Record<string, any>} [base] what they change @param {number} [revision] of the base
   */
  keepDraft(key, fields, base = {}, revision = 0) {
    if (Object.keys(fields).length > 0) this.commit([{ store: "draft", key, value: { base, fields, revision, at: new Date().toISOString() } }]);
    else if (this.mirror.draft.has(key)) this.commit([noDraft(key)]);
  }

  /** Whether the disk has what this page shows. */
  get isOnDisk() {
    return this.store.database !== null && !this.isDiskLost;
  }
  /** @param {Change[]} changes what disk and tabs get of them: where the disk has less than the page, no cursor, so that it is pulled again */
  shared(changes) {
    return changes.filter(({ key }) => this.isOnDisk || key !== "cursor");
  }

  /** In the order of the edits, though the clock may go back; unique within a tab, and by its random end among tabs. */
  nextKey() {
    for (const key of this.mirror.outbox.keys()) if (key > this.lastKey) this.lastKey = key;
    const time = Date.now().toString(36).padStart(9, "0");
    const last = this.lastKey.slice(0, 13);
    const next = `${time}0000`;
    const head = next > last ? next : last.slice(0, 9) + (parseInt(last.slice(9), 36) + 1).toString(36).padStart(4, "0");
    this.lastKey = `${head}-${uuid().slice(0, 8)}`;
    return this.lastKey;
  }

  /** Follows the server once no other tab does. */
  lead() {
    const { signal } = this.closing;
    const run = async () => {
      if (signal.aborted) return;
      this.isLeading = true;
      this.sender.push();
      await this.pull();
    };
    // Pages over plain HTTP have no locks, some browsers refuse them, and those without a disk share none. They all lead: mutation ids make it safe.
    if (!navigator.locks || !this.store.database) return void run();
    navigator.locks.request(`kanbase-${this.account}`, { signal }, run).catch((error) => { if (error.name === "SecurityError") run(); });
  }

  /** @param {Partial<State>} change */
  setState(change) {
    const next = { ...this.state, ...change };
    if (this.closing.signal.aborted || JSON.stringify(next) === JSON.stringify(this.state)) return;
    if (this.isLeading && next.full !== this.state.full) this.commit([{ store: "meta", key: "full", value: next.full || undefined }]);
    this.state = next;
    this.onState();
    if (this.isLeading) this.channel?.postMessage({ state: next });
  }

  async pull() {
    const { signal } = this.closing;
    for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
      // Browsers have six connections: none for hidden tabs.
      if (!navigator.locks && document.hidden) await this.pause(2 ** 31 - 1);
      try {
        await this.writing;
        if (!this.mirror.meta.get("cursor")) await this.load();
        const since = encodeURIComponent(this.mirror.meta.get("cursor"));
        let changes = /** @type {any[]} */ ([]);
        let cursor = "";
        // The cursor must not pass what the disk refuses: a batch waits for those before it.
        const flush = async () => {
          await this.writing;
          this.commit(receive(this.mirror, changes, cursor));
          changes = [];
        };
        this.stream = new AbortController();
        await follow(`/changes?types=${feedTypes}&since=${since}`, this.stream.signal, (event) => {
          if (event.event === "ready") {
            wait = 250;
            this.isFollowing = true;
            this.setState({ phase: "live" });
            this.sender.push();
          } else if (event.event === "change") {
            if (changes.length === 0) flush();
            changes.push(JSON.parse(event.data));
            cursor = event.id;
          }
        });
      } catch (error) {
        if (signal.aborted) return;
        const { status, code, retryAfter } = /** @type {any} */ (error);
        if (retryAfter) wait = retryAfter * 1000;
        if (status === 401) return access.ended();
        if (status === 410 || code === "invalid_cursor") {
          // Another history, or an expired cursor: load everything again, with the outbox on top.
          const before = this.mirror.meta.get("cursor") ?? this.mirror.meta.get("before");
          await this.commit([{ store: "meta", key: "before", value: before }, { store: "meta", key: "cursor", value: undefined }]);
        }
      }
      if (signal.aborted) return;
      this.isFollowing = false;
      this.setState({ phase: "offline" });
      await this.pause(wait);
    }
  }

  /** Loads the whole state; the mirror changes in one step unless it was empty. */
  async load() {
    const state = new Map();
    const isEmpty = this.mirror.task.size + this.mirror.category.size === 0;
    let cursor = /** @type {string | null} */ (null);
    for (let hasMore = true; hasMore;) {
      const since = cursor ? `&since=${encodeURIComponent(cursor)}` : "";
      const page = await call("GET", `/changes?types=${feedTypes}&limit=1000${since}`, { seconds: 20, quiet: true });
      for (const change of page.changes) {
        if (change.deleted) state.delete(`${change.type} ${change.id}`);
        else state.set(`${change.type} ${change.id}`, change);
      }
      cursor = page.cursor;
      hasMore = page.hasMore;
      if (isEmpty && hasMore) {
        // Show it early; it is written to disk when it is complete.
        const first = receive(this.mirror, page.changes, null);
        apply(this.mirror, first);
        this.onChange(first);
      }
    }
    if (cursor) await this.commit(replace(this.mirror, state, cursor, new Date().toISOString()));
  }

  /** @param {number} milliseconds */
  pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => { clearTimeout(timer); resolve(undefined); };
      this.closing.signal.addEventListener("abort", this.wake, { once: true });
    });
  }

  /** The browser reports that it is offline; a stream would notice it late. */
  interrupt() {
    this.stream?.abort();
  }

  /** The browser reports that it is online, or the page became visible again. */
  retry() {
    this.wake();
    this.sender.retry();
  }

  close() {
    this.closing.abort();
    this.stream?.abort();
    this.sender.close();
    this.store.close();
  }
}
