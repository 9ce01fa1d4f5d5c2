// Where this browser keeps the board: a session for all tabs, and one database an account.
import { parsed, Store } from "../client/kanbase.js";

/** Where the session is kept; see api.js. */
export const sessionKey = "kanbase.session";

const prefix = "kanbase-";

/** Started while the other modules load, because it takes longer. */
const session = parsed(localStorage.getItem(sessionKey));
let early = session ? new Store(prefix + session.account) : null;

/** @param {string} account */
export function openStore(account) {
  const store = early?.name === prefix + account ? early : new Store(prefix + account);
  if (store !== early) early?.close();
  early = null;
  return store;
}

/** @param {string | null} account */
export async function eraseAllBut(account) {
  const databases = await (async () => indexedDB.databases?.())().catch(() => []) ?? [];
  const names = databases.map(({ name }) => name ?? "").filter((name) => name.startsWith(prefix) && name !== prefix + account);
  // What cannot be erased now is erased at the next log-in.
  await Promise.all(names.map((name) => new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = resolve;
  })));
}
