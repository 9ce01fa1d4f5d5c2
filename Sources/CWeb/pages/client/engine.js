// Synchronizes the mirror in memory, its copy on disk and the server. All tabs of an account share the disk: the tab that
// holds the lock talks to the server, and gets the edits of the others over the disk and a channel.
import { uuid } from "./connection.js";
import { Feed } from "./feed.js";
import { apply, emptyMirror, kept, mutate, noDraft } from "./mirror.js";
import { Sender } from "./sender.js";
import { joined } from "./sync.js";

export class Engine {
  /** @param {Disk} store @param {Connection} connection */
  constructor(store, connection) {
    this.store = store;
    this.connection = connection;
    this.mirror = emptyMirror();
    /** @type {State} */
    this.state = { phase: "loading", sending: false, full: false, problem: null };
    /** @type {(changes: Change[], isOther?: boolean) => void} */
    this.onChange = () => {};
    /** @type {() => void} */
    this.onState = () => {};
    /** @type {() => void} called when the disk cannot be written any more */
    this.onDiskFault = () => {};
    /** @type {() => Promise<void>} finds out whose data the server has, before any is sent or read */
    this.admit = async () => {};
    /** @type {Map<string, () => void>} writes the words that this page shows, by the key of their draft */
    this.typed = new Map();
    this.isDiskLost = this.isLeading = this.isAdmitted = false;
    this.sender = new Sender(this);
    this.feed = new Feed(this);
    this.closing = new AbortController();
    /** Ends with the log-in that it is for. */
    this.leading = new AbortController();
    this.lastKey = "";
    this.wake = () => {};
    this.channel = store.channel;
    /** @type {Promise<unknown>} all that is on its way to the disk */
    this.writing = Promise.resolve();
  }

  async start() {
    await this.read();
    this.lead();
  }

  /** Reads the disk, and what other tabs say from then on. */
  async read() {
    this.mirror = await this.store.reading;
    if (this.closing.signal.aborted) return;
    for (const changes of this.store.missed) apply(this.mirror, this.shared(changes));
    // Known before the next answer.
    this.state.full = this.mirror.meta.get("full") === true;
    if (this.channel) {
      this.channel.onmessage = ({ data }) => {
        if (data.changes) this.take(data.changes);
        // One that is logged out knows how it stands: what another tab last said may come after that.
        else if (data.state && !this.isLeading && !this.leading.signal.aborted) this.setState(data.state);
        else if (data.hello && this.isLeading) this.channel?.postMessage({ state: this.state });
      };
    }
    this.listen();
  }

  /** To what a browser says of its network and of the page. */
  listen() {
    if (!globalThis.document) return;
    const { signal } = this.closing;
    addEventListener("online", () => this.retry(), { signal });
    // A stream would notice it late.
    addEventListener("offline", () => this.feed.interrupt(), { signal });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retry();
      else if (!navigator.locks) this.feed.interrupt();
    }, { signal });
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
   * Changes the mirror at once, then the disk, then the other tabs. Resolves when they are on disk, with false if it refused them.
   * @param {Change[]} changes
   */
  async commit(changes) {
    if (changes.length === 0 || this.closing.signal.aborted) return true;
    apply(this.mirror, changes);
    const writing = this.store.write(this.shared(changes)).then(() => true, () => {
      if (!this.isDiskLost) {
        this.isDiskLost = true;
        this.onDiskFault();
      }
      return false;
    });
    this.writing = this.writing.then(() => writing);
    this.onChange(changes);
    const isWritten = await writing;
    if (!this.closing.signal.aborted) this.channel?.postMessage({ changes: this.shared(changes) });
    return isWritten;
  }

  /**
   * An edit of the user: shown at once, sent when the server can be reached.
   * @param {Intent[]} intents @param {Change[]} [also] what changes with them, such as a draft that is saved
   */
  async edit(intents, also = []) {
    const changes = [...also];
    for (const intent of intents) {
      const made = { mutationId: uuid(), key: this.nextKey(), at: new Date().toISOString() };
      let whole = intent;
      /** @type {Change[]} */
      let own;
      // Several wait if one was made while another was on its way.
      do {
        // What is on its way has its answer before it.
        [whole, own] = this.state.sending ? [whole, []] : joined(this.mirror, whole);
        apply(this.mirror, own);
        changes.push(...own);
      } while (own.length > 0);
      own = mutate(this.mirror, whole, made);
      apply(this.mirror, own);
      changes.push(...own);
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

  /** True if the disk has what this page shows. */
  get isOnDisk() {
    return this.store.isKept && !this.isDiskLost;
  }
  /** @param {Change[]} changes what disk and tabs get of them: where the disk has less than the page, no cursor, so that it is pulled again */
  shared(changes) {
    return changes.filter(({ key, value }) => this.isOnDisk || key !== "cursor" || !value);
  }

  /** In the order of the edits, though the clock may go back; unique within a tab, and by its random end among tabs. */
  nextKey() {
    for (const key of this.mirror.outbox.keys()) if (key > this.lastKey) this.lastKey = key;
    const last = this.lastKey.slice(0, 13);
    const next = `${Date.now().toString(36).padStart(9, "0")}0000`;
    const head = next > last ? next : last.slice(0, 9) + (parseInt(last.slice(9), 36) + 1).toString(36).padStart(4, "0");
    this.lastKey = `${head}-${uuid().slice(0, 8)}`;
    return this.lastKey;
  }

  /** Follows the server once no other tab does, with the token of now. */
  lead() {
    this.rest();
    if (this.closing.signal.aborted) return;
    const { signal } = this.leading = new AbortController();
    const run = async () => {
      if (signal.aborted) return;
      this.isLeading = true;
      await this.feed.run(signal);
    };
    this.channel?.postMessage({ hello: true });
    this.tellUnsent();
    // Pages over plain HTTP have no locks, some browsers refuse them, and where nothing is shared there is nothing to lock. They all lead: mutation ids make it safe.
    const locks = this.store.name && this.store.isKept ? globalThis.navigator?.locks : undefined;
    if (!locks) return void run();
    locks.request(this.store.name, { signal }, run).catch((error) => { if (error.name === "SecurityError") run(); });
  }

  /** @param {AbortSignal} signal */
  async begin(signal) {
    if (this.isAdmitted) return;
    await this.admit();
    if (signal.aborted) return;
    this.isAdmitted = true;
    this.sender.push();
  }

  /** Sends and reads nothing until it leads again. */
  rest() {
    this.leading.abort();
    this.wake();
    this.sender.close();
    this.feed.close();
    this.isLeading = this.isAdmitted = false;
  }

  /** @param {Partial<State>} change */
  setState(change) {
    const next = { ...this.state, ...change };
    if (this.closing.signal.aborted || JSON.stringify(next) === JSON.stringify(this.state)) return;
    if (this.isLeading && next.full !== this.state.full) this.commit([kept("full", next.full || undefined)]);
    this.state = next;
    this.onState();
    if (this.isLeading) this.channel?.postMessage({ state: next });
  }

  /** @param {number} milliseconds */
  pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => { clearTimeout(timer); resolve(undefined); };
    });
  }

  /** There may be a connection again. */
  retry() {
    this.wake();
    this.sender.retry();
  }

  close() {
    this.closing.abort();
    this.rest();
    this.store.close();
  }
}
