// Calls of the API, each with a time-out; every failure is a Problem. Also its server-sent events, over fetch: EventSource
// cannot send a token. Below, the session, shared by all tabs: when it ends, all data of the account is removed from the page.
import { parsed, sessionKey, Store } from "./store.js";
import { forgetDevice } from "./device.js";
import { ownCount } from "./mirror.js";
import { language, text } from "./page.js";

/**
 * A lookup by a name from outside: `constructor` is in every object, but none of its own.
 * @param {object} words @param {string} name @returns {string | undefined}
 */
export function own(words, name) {
  const found = Object.hasOwn(words, name) ? /** @type {any} */ (words)[name] : undefined;
  return typeof found === "string" ? found : undefined;
}

/**
 * Why the server refused, in the page's language where that has words for it.
 * @param {any} document of the problem @returns {string}
 */
export function refusal(document) {
  return (document?.errors ?? [document ?? {}]).map((/** @type {any} */ { pointer = "", code, detail }) => {
    const words = own(text.problems, code);
    const name = pointer.slice(2);
    const member = own(text.members, name) ?? own(text, name);
    return words && member ? `${member}: ${words}` : words ?? detail;
  }).join(" ");
}

/** A failed call. Status 0: the server was not reached, or did not answer in time. */
export class Problem extends Error {
  /** @param {number} status @param {any} [document] @param {number} [retryAfter] */
  constructor(status, document, retryAfter) {
    super(refusal(document) || String(status));
    this.status = status;
    this.code = document?.code ?? "";
    this.document = document;
    this.retryAfter = retryAfter;
  }
}

/** @param {Problem} problem */
export function faultOf(problem) {
  if (problem.status === 401) return text.wrongLogin;
  if (problem.status === 429) return text.tooManyTries(problem.retryAfter ?? 60);
  return problem.message;
}

/**
 * The session, for requests; null when no log-in is needed.
 * @type {{token: string | null, ended: () => void}}
 */
export const access = { token: null, ended: () => {} };

/** @param {Record<string, string>} extra @returns {Record<string, string>} */
function headers(extra) {
  return { "Accept-Language": language, ...(access.token && { Authorization: `Bearer ${access.token}` }), ...extra };
}

/** A random UUID, also on pages over plain HTTP, which have no `crypto.randomUUID`. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** @param {string} method @param {string} path @param {CallOptions} [options] */
export async function call(method, path, options = {}) {
  const { body, key, seconds = 12 } = options;
  const fields = headers({ Accept: "application/json", ...options.headers });
  const isFile = body instanceof Blob;
  if (body !== undefined) fields["Content-Type"] ??= isFile ? "application/octet-stream" : "application/json";
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
    throw new Problem(0, { code: "unreachable" });
  } finally {
    clearTimeout(timer);
  }
}

/** @param {Response} response in seconds */
function retryAfter(response) {
  return Number(response.headers.get("Retry-After")) || undefined;
}

/** @type {Promise<any> | undefined} */
let asked;

/**
 * What the server says of itself: `features`, and in `signUp` who may make an account. Asked once; while it does not answer, it has
 * nothing.
 * @returns {Promise<{features: string[], signUp: string | null}>}
 */
export async function ability() {
  asked ??= call("GET", "/health/ready", { quiet: true });
  try {
    return await asked;
  } catch {
    asked = undefined;
    return { features: [], signUp: null };
  }
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

const keptKey = "kanbase.kept";
const noteKey = "kanbase.note";

/** @returns {Session | null} */
export function storedSession() {
  return parsed(localStorage.getItem(sessionKey));
}

/**
 * What an account has on this device alone.
 * @returns {Promise<{account: string, count: number} | null>}
 */
export async function keptEdits() {
  const session = storedSession();
  if (!session) return parsed(localStorage.getItem(keptKey));
  const store = new Store(session.account);
  const count = ownCount(await store.reading);
  store.close();
  return count > 0 ? { account: session.account, count } : null;
}

let mine = storedSession();

/** Why the last session ended; shown once. */
export function takeNote() {
  const note = sessionStorage.getItem(noteKey);
  sessionStorage.removeItem(noteKey);
  return note;
}

/**
 * Begins a session for all tabs, and erases the data of other accounts.
 * @param {Session} session
 */
export async function beginSession(session) {
  access.token = null;
  await Store.eraseAllBut(session.account);
  localStorage.removeItem(keptKey);
  localStorage.setItem(sessionKey, JSON.stringify(session));
  mine = session;
}

/**
 * The account of a server without log-in; null when a log-in is needed.
 * @returns {Promise<Session | null>}
 */
export async function probe() {
  try {
    const account = await call("GET", "/account", { quiet: true });
    const session = { id: null, account: account.id, token: null, email: null };
    await beginSession(session);
    return session;
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 401) return null;
    throw problem;
  }
}

/** @param {Record<string, any>} body of POST /sessions */
export async function logIn(body) {
  const device = /** @type {any} */ (navigator).userAgentData?.platform || navigator.platform || "Web";
  const answer = await call("POST", "/sessions", { body: { device: `Web, ${device}`.slice(0, 100), ...body }, quiet: true });
  return /** @type {Session} */ ({ id: answer.session.id, account: answer.account.id, token: answer.token, email: answer.account.email });
}

/** Clears the screen while the page unloads. */
export function blank() {
  document.body.replaceChildren();
  document.title = "Kanbase";
}

/**
 * Clears the screen at once, then the memory by a reload. Only unsent edits stay on this device, for the same account. Where
 * another tab has ended the session, that one says what stays.
 * @param {Engine | null} engine
 * @param {{note?: string, erase?: boolean}} options
 */
export async function endSession(engine, { note = "", erase = false } = {}) {
  blank();
  const count = engine && !erase ? ownCount(engine.mirror) : 0;
  engine?.close();
  if (isCurrent()) {
    localStorage.clear();
    if (engine && count > 0) localStorage.setItem(keptKey, JSON.stringify({ account: engine.account, count }));
  }
  sessionStorage.clear();
  if (note) sessionStorage.setItem(noteKey, note);
  // An open tab delays erasing its database; the next log-in erases the rest.
  await Promise.race([Promise.all([eraseOthers(), forgetDevice()]), new Promise((resolve) => { setTimeout(resolve, 2000); })]);
  location.replace("/");
}

/** Erases everything but the data of the session, or unsent edits. */
export async function eraseOthers() {
  const { account = null } = storedSession() ?? parsed(localStorage.getItem(keptKey)) ?? {};
  await Store.eraseAllBut(account);
}

/** Whether no other tab began or ended a session since. */
function isCurrent() {
  const current = storedSession();
  return current?.token === mine?.token && current?.account === mine?.account;
}

/** Loads the page again when another tab begins or ends a session. */
export function followOtherTabs() {
  const check = () => {
    if (isCurrent()) return;
    blank();
    location.replace("/");
  };
  addEventListener("storage", (event) => { if (event.key === sessionKey || event.key === null) check(); });
  // A page from the back-forward cache may have an ended session.
  addEventListener("pageshow", (event) => { if (event.persisted) check(); });
}
