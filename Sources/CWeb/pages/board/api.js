// The connection to the server, with refusals in the page's language, and the session, shared by all tabs: when it ends, all data of the
// account is removed from the page.
import { Connection, ownCount, parsed, Problem } from "../client/kanbase.js";
import { eraseAllBut, openStore, sessionKey } from "./store.js";
import { forgetDevice } from "./device.js";
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

Problem.words = (document, status) => refusal(document) || String(status);

/** @param {Problem} problem */
export function faultOf(problem) {
  if (problem.status === 401) return text.wrongLogin;
  if (problem.status === 429) return text.tooManyTries(problem.retryAfter ?? 60);
  return problem.message;
}

/** To the server that this page is from. */
export const connection = new Connection("", language);

/** @type {Connection["call"]} */
export const call = (method, path, options) => connection.call(method, path, options);

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
  const store = openStore(session.account);
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
  connection.token = null;
  await eraseAllBut(session.account);
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
export function clearPage() {
  document.body.replaceChildren();
  document.title = "Kanbase";
}

/**
 * Clears the screen at once, then the memory by a reload. Only unsent edits stay on this device, for the same account. Where
 * another tab has ended the session, that one says why, and what stays.
 * @param {Engine | null} engine
 * @param {{note?: string, erase?: boolean}} options
 */
export async function endSession(engine, { note = "", erase = false } = {}) {
  clearPage();
  const isFirst = isCurrent();
  const count = engine && !erase ? ownCount(engine.mirror) : 0;
  engine?.close();
  if (isFirst) {
    localStorage.clear();
    if (engine && count > 0) localStorage.setItem(keptKey, JSON.stringify({ account: mine?.account, count }));
  }
  sessionStorage.clear();
  if (note && isFirst) sessionStorage.setItem(noteKey, note);
  // An open tab delays erasing its database; the next log-in erases the rest.
  await Promise.race([Promise.all([eraseOthers(), forgetDevice()]), new Promise((resolve) => { setTimeout(resolve, 2000); })]);
  location.replace("/");
}

/** Erases everything but the data of the session, or unsent edits. */
export async function eraseOthers() {
  const { account = null } = storedSession() ?? parsed(localStorage.getItem(keptKey)) ?? {};
  await eraseAllBut(account);
}

/** True if no other tab changed the session since. */
export function isCurrent() {
  const current = storedSession();
  return current?.token === mine?.token && current?.account === mine?.account;
}

/** Loads the page again when another tab begins or ends a session. */
export function followOtherTabs() {
  const check = () => {
    if (isCurrent()) return;
    clearPage();
    location.replace("/");
  };
  addEventListener("storage", (event) => { if (event.key === sessionKey || event.key === null) check(); });
  // A page from the back-forward cache may have an ended session.
  addEventListener("pageshow", (event) => { if (event.persisted) check(); });
}
