// Who is logged in, the same for all tabs. When a session ends, everything of the account leaves the page at once.
import { access, call, Problem } from "./api.js";
import { parsed, sessionKey, Store } from "./store.js";

/** @typedef {{account: string, token: string | null, email: string | null}} Session  `token` null: nobody must log in */

const keptKey = "kanbase.kept";
const noteKey = "kanbase.note";

/** @returns {Session | null} */
export function storedSession() {
  return parsed(localStorage.getItem(sessionKey));
}

/**
 * What an account left unsent on this device.
 * @returns {{account: string, count: number} | null}
 */
export function keptEdits() {
  return parsed(localStorage.getItem(keptKey));
}

/** Why the last session ended, told once. */
export function takeNote() {
  const note = sessionStorage.getItem(noteKey);
  sessionStorage.removeItem(noteKey);
  return note;
}

/**
 * Begins a session for all tabs. What another account left here is erased.
 * @param {Session} session
 */
export async function begin(session) {
  access.token = null;
  await Store.eraseAllBut(session.account);
  localStorage.removeItem(keptKey);
  localStorage.setItem(sessionKey, JSON.stringify(session));
}

/**
 * The one account of a server without log-in; null where one must log in.
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

/** Nothing of the account stays on the screen while the page goes. */
export function blank() {
  document.body.replaceChildren();
  document.title = "Kanbase";
}

/**
 * Ends the session here: the screen is empty at once, then the memory with the page. Unsent edits stay on this device
 * for the same account; without any, nothing stays.
 * @param {import("./engine.js").Engine | null} engine
 * @param {{note?: string, erase?: boolean}} options
 */
export async function end(engine, { note = "", erase = false } = {}) {
  blank();
  const count = engine && !erase ? engine.mirror.outbox.size + engine.mirror.draft.size + engine.mirror.issue.size : 0;
  engine?.close();
  localStorage.clear();
  if (engine && count > 0) localStorage.setItem(keptKey, JSON.stringify({ account: engine.account, count }));
  sessionStorage.clear();
  if (note) sessionStorage.setItem(noteKey, note);
  // A tab that holds a database open delays its erasing; the log-in erases what is left.
  await Promise.race([eraseOthers(), new Promise((resolve) => { setTimeout(resolve, 2000); })]);
  location.replace("/");
}

/** Nobody is logged in: erases everything but what waits for its account. */
export async function eraseOthers() {
  await Store.eraseAllBut(keptEdits()?.account ?? null).catch(() => {});
}

/**
 * Another tab began or ended a session: this page is of the wrong one.
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
  // A page that the browser kept for Back may be of a session that ended.
  addEventListener("pageshow", (event) => { if (event.persisted) check(); });
}
