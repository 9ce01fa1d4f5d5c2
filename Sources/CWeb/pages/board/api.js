// Calls of the API, each with a time-out; every failure is a Problem. Also its server-sent events, over fetch: EventSource
// cannot send a token.
import { language, text } from "./texts.js";

/** A failed call. Status 0: the server was not reached, or did not answer in time. */
export class Problem extends Error {
  /** @param {number} status @param {any} [document] @param {number} [retryAfter] */
  constructor(status, document, retryAfter) {
    const faults = document?.errors?.map((/** @type {any} */ fault) => fault.detail).join(" ");
    super(faults || document?.detail || String(status));
    this.status = status;
    this.code = document?.code ?? "";
    this.document = document;
    this.retryAfter = retryAfter;
  }
}

/** @param {Problem} problem */
export function faultOf(problem) {
  if (problem.code === "unreachable") return text.unreachable;
  if (problem.status === 401) return text.wrongLogin;
  if (problem.status === 429) return text.tooManyTries(problem.retryAfter ?? 60);
  return /** @type {Record<string, string>} */ (text.problems)[problem.code] ?? problem.message;
}

/**
 * The session, for requests; null when no log-in is needed.
 * @type {{token: string | null, ended: () => void}}
 */
export const access = { token: null, ended: () => {} };

/** @param {Record<string, string>} [extra] */
export function headers(extra = {}) {
  /** @type {Record<string, string>} */
  const all = { "Accept-Language": language, ...extra };
  if (access.token) all.Authorization = `Bearer ${access.token}`;
  return all;
}

/** A random UUID, also on pages over plain HTTP, which have no `crypto.randomUUID`. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20, 32].map((end, index) => hex.slice([0, 8, 12, 16, 20][index], end)).join("-");
}

/** @param {string} method @param {string} path @param {CallOptions} [options] */
export async function call(method, path, options = {}) {
  const { body, key, seconds = 12 } = options;
  const fields = headers({ Accept: "application/json", ...options.headers });
  const isFile = body instanceof Blob;
  if (body !== undefined) fields["Content-Type"] = isFile ? "application/octet-stream" : "application/json";
  if (key) fields["Idempotency-Key"] = key;
  const token = access.token;
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), seconds * 1000);
  try {
    const response = await fetch(path, {
      method, headers: fields, signal: aborter.signal, cache: "no-store",
      body: isFile ? body : JSON.stringify(body),
    });
    if (response.ok && options.raw) return response;
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : null;
    if (response.status === 401 && !options.quiet && token === access.token) access.ended();
    throw new Problem(response.status, parsed(text), retryAfter(response));
  } catch (error) {
    if (error instanceof Problem) throw error;
    // No connection, a time-out, or an answer that was cut off.
    throw new Problem(0, { detail: "", code: "unreachable" });
  } finally {
    clearTimeout(timer);
  }
}

/** @param {Response} response @returns {number | undefined} seconds */
function retryAfter(response) {
  return Number(response.headers.get("Retry-After")) || undefined;
}

/** @param {string} text */
function parsed(text) {
  // The response of a proxy may not be JSON.
  try { return JSON.parse(text); } catch { return null; }
}

/** The server sends a comment after 15 s without events: a stream that is silent for longer is dead. */
const patience = 18000;

/**
 * Reads a stream of events until it ends, breaks, or is silent for too long.
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {(event: Record<string, string>) => void} handle
 */
export async function follow(path, signal, handle) {
  const aborter = new AbortController();
  const stop = () => aborter.abort();
  signal.addEventListener("abort", stop);
  let timer = setTimeout(stop, patience);
  const alive = () => { clearTimeout(timer); timer = setTimeout(stop, patience); };
  try {
    const response = await fetch(path, { headers: headers({ Accept: "text/event-stream" }), signal: aborter.signal, cache: "no-store" });
    if (!response.ok || !response.body) {
      throw new Problem(response.status, await response.json().catch(() => null), retryAfter(response));
    }
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
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  /** @param {string} line */
  line(line) {
    if (line === "") {
      const { event } = this;
      this.event = {};
      if (event.event) this.handle(event);
      return;
    }
    const colon = line.indexOf(":");
    if (colon < 1) return;
    const name = line.slice(0, colon);
    const content = line.slice(colon + 1).replace(/^ /, "");
    this.event[name] = name === "data" && this.event.data !== undefined ? `${this.event.data}\n${content}` : content;
  }
}
