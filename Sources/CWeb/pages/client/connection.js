// Calls of one server's API, each with a time-out; every failure is a Problem. Also its server-sent events, over fetch: EventSource
// cannot send a token.

/** @param {string | null} text */
export function parsed(text) {
  try { return text ? JSON.parse(text) : null; } catch { return null; }
}

/** A failed call. Status 0: the server was not reached, or did not answer in time. */
export class Problem extends Error {
  /** @param {number} status @param {any} [document] of RFC 9457 @param {number} [retryAfter] seconds */
  constructor(status, document, retryAfter) {
    super(Problem.words(document, status));
    this.name = "Problem";
    this.status = status;
    /** @type {string} */
    this.code = document?.code ?? "";
    this.document = document;
    this.retryAfter = retryAfter;
  }

  /**
   * What a document says. An app may put a function in its place that says it in the user's language.
   * @param {any} document @param {number} status @returns {string}
   */
  static words(document, status) {
    const words = (document?.errors ?? [document ?? {}]).map((/** @type {any} */ { pointer, detail }) => (pointer ? `${pointer.slice(2)}: ${detail}` : detail)).join(" ");
    return words || `The server answered ${status} without a reason. Perhaps a proxy did.`;
  }
}

export const unreachable = () => new Problem(0, { code: "unreachable", detail: "The server cannot be reached. Edits wait on this device." });
export const closed = () => new Problem(0, { code: "closed", detail: "The board was closed." });
/** @param {string} kind @param {string} id */
export const missing = (kind, id) => new Problem(404, { code: "not_found", detail: `There is no ${kind} with the id ${id} on this device.` });
export const notKanbase = () => new Problem(502, { code: "not_kanbase", detail: "What answers at this address is not Kanbase. Check the address of the server." });

/** @param {any} problem @returns {boolean} true if the server no longer has the history of the cursor */
export const isOver = ({ status, code }) => status === 410 || code === "invalid_cursor";

/** @param {Problem} problem @returns {State["problem"]} as other tabs can be sent it */
export const reasonOf = ({ status, code, message }) => ({ status, code, message });

/** A random UUID. Pages over plain HTTP have no `crypto.randomUUID`, and Node 18 and React Native no `crypto`; ids are no secret. */
export function uuid() {
  const bytes = Uint8Array.from({ length: 16 }, () => Math.random() * 256);
  globalThis.crypto?.getRandomValues(bytes);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(....)(....)(....)/, "$1-$2-$3-$4-");
}

/** The server sends a comment after 15 s without events: a stream that is silent for longer is dead. */
const patience = 18000;

export class Connection {
  /** @param {string} [server] such as `https://example.org`; else that of the page @param {string} [language] */
  constructor(server = "", language = "") {
    this.server = server;
    this.language = language;
    /** @type {string | null} null when no log-in is needed */
    this.token = null;
    /** Called when the server no longer takes the token. */
    this.ended = () => {};
  }

  /** @param {Record<string, string>} extra @returns {Record<string, string>} */
  headers(extra) {
    return { ...(this.language && { "Accept-Language": this.language }), ...(this.token && { Authorization: `Bearer ${this.token}` }), ...extra };
  }

  /** @param {string} method @param {string} path @param {CallOptions} [options] */
  async call(method, path, options = {}) {
    const { body, key, signal, seconds = 12 } = options;
    const fields = this.headers({ Accept: "application/json", ...options.headers });
    const isFile = body instanceof Blob;
    if (body !== undefined) fields["Content-Type"] ??= isFile ? "application/octet-stream" : "application/json";
    if (key) fields["Idempotency-Key"] = key;
    const { token } = this;
    const aborter = new AbortController();
    const stop = () => aborter.abort();
    const timer = setTimeout(stop, seconds * 1000);
    signal?.addEventListener("abort", stop);
    try {
      const response = await fetch(this.server + path, {
        method, headers: fields, signal: aborter.signal, cache: "no-store",
        body: isFile ? body : JSON.stringify(body),
      });
      if (response.ok && options.raw) return response;
      const text = await response.text();
      const answer = parsed(text);
      if (response.ok && (answer !== null || !text)) return answer;
      if (response.ok) throw notKanbase();
      if (response.status === 401 && !options.quiet && token === this.token) this.ended();
      throw new Problem(response.status, answer, retryAfter(response));
    } catch (error) {
      if (error instanceof Problem) throw error;
      // No connection, a time-out, or an answer that was cut off.
      throw unreachable();
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /**
   * Reads a stream of events until it ends, breaks, or is silent for too long.
   * @param {string} path
   * @param {AbortSignal} signal
   * @param {(event: Record<string, string>) => void} handle
   */
  async follow(path, signal, handle) {
    const aborter = new AbortController();
    const stop = () => aborter.abort();
    signal.addEventListener("abort", stop);
    let timer = setTimeout(stop, patience);
    const alive = () => { clearTimeout(timer); timer = setTimeout(stop, patience); };
    try {
      const response = await fetch(this.server + path, { headers: this.headers({ Accept: "text/event-stream" }), signal: aborter.signal, cache: "no-store" })
        .catch(() => { throw unreachable(); });
      if (!response.ok) throw new Problem(response.status, await response.json().catch(() => null), retryAfter(response));
      if (!response.body || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) throw notKanbase();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const parser = new EventParser(handle);
      for (;;) {
        alive();
        const { done, value } = await reader.read();
        if (done) return;
        parser.feed(value);
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }
}

/** @param {Response} response @returns in seconds, of which a timer takes fewer than a number has */
const retryAfter = ({ headers }) => Math.min(Number(headers.get("Retry-After")), 3600) || undefined;

/** Splits text into events (HTML §9.2.6), however it is cut. */
export class EventParser {
  /** @param {(event: Record<string, string>) => void} handle */
  constructor(handle) {
    this.handle = handle;
    this.rest = "";
    /** @type {Record<string, string>} */
    this.event = {};
  }

  /** @param {string} text */
  feed(text) {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.line(line);
  }

  /** @param {string} line */
  line(line) {
    if (line === "") {
      const { event } = this;
      this.event = {};
      if (event.event) this.handle(event);
      return;
    }
    const [, name, content] = line.match(/^([^:]+): ?(.*)/s) ?? [];
    if (name) this.event[name] = name === "data" && this.event.data !== undefined ? `${this.event.data}\n${content}` : content;
  }
}
