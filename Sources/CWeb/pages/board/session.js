// The session, shared by all tabs. When it ends, all data of the account is removed from the page at once.
import { access, call, Problem } from "./api.js";
import { parsed, sessionKey, Store } from "./store.js";

const keptKey = "kanbase.kept";
const noteKey = "kanbase.note";

/** @returns {Session | null} */
export function storedSession() {
  return parsed(localStorage.getItem(sessionKey));
}

/**
 * Unsent edits of an account on this device.
 * @returns {{account: string, count: number} | null}
 */
export function keptEdits() {
  return parsed(localStorage.getItem(keptKey));
}

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
export async function begin(session) {
  access.token = null;
  await Store.eraseAllBut(session.account);
  localStorage.removeItem(keptKey);
  localStorage.setItem(sessionKey, JSON.stringify(session));
}

/**
 * The account of a server without log-in; null when a log-in is needed.
 * @returns {Promise<Session | null>}
 */
export async function probe() {
  try {
    const account = await call("GET", "/account", { quiet: true });
    const session = { account: account.id, token: null, email: null };
    await begin(session);
    return session;
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 401) return null;
    throw problem;
  }
}

/**
 * Logs in.
 * @param {Record<string, any>} body of POST /sessions
 */
export async function logIn(body) {
  const device = /** @type {any} */ (navigator).userAgentData?.platform || navigator.platform || "Web";
  const answer = await call("POST", "/sessions", { body: { device: `Web, ${device}`.slice(0, 100), ...body }, quiet: true });
  return /** @type {Session} */ ({ account: answer.account.id, token: answer.token, email: answer.account.email });
}

/** Clears the screen while the page unloads. */
export function blank() {
  document.body.replaceChildren();
  document.title = "Kanbase";
}

/**
 * Ends the session here: clears the screen at once, then the memory by a reload. Only unsent edits stay on this device, for
 * the same account.
 * @param {Engine | null} engine
 * @param {{note?: string, erase?: boolean}} options
 */
export async function end(engine, { note = "", erase = false } = {}) {
  blank();
  const count = engine && !erase ? engine.ownCount : 0;
  engine?.close();
  localStorage.clear();
  if (engine && count > 0) localStorage.setItem(keptKey, JSON.stringify({ account: engine.account, count }));
  sessionStorage.clear();
  if (note) sessionStorage.setItem(noteKey, note);
  // An open tab delays erasing its database; the next log-in erases the rest.
  await Promise.race([eraseOthers(), new Promise((resolve) => { setTimeout(resolve, 2000); })]);
  location.replace("/");
}

/** Without a session: erases everything but unsent edits. */
export async function eraseOthers() {
  await Store.eraseAllBut(keptEdits()?.account ?? null).catch(() => {});
}

/**
 * Another tab began or ended a session: this page has the wrong one.
 * @param {Session | null} session
 */
export function followOtherTabs(session) {
  const check = () => {
    const current = storedSession();
    if (current?.token === session?.token && current?.account === session?.account) return;
    blank();
    location.replace("/");
  };
  addEventListener("storage", (event) => { if (event.key === sessionKey || event.key === null) check(); });
  // A page from the back-forward cache may have an ended session.
  addEventListener("pageshow", (event) => { if (event.persisted) check(); });
}
