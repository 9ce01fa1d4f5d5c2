// A board of a Kanbase server in any app: what `open` gives reads and writes this device at once, and keeps it and the server in step.
// kanbase.d.ts describes what an app may use. What else is exported here is for the board of the server, and may change with it.
import { Board } from "./board.js";
import { Connection, Problem } from "./connection.js";
import { Engine } from "./engine.js";
import { Keeper, Store } from "./store.js";

export { Board } from "./board.js";
export { Connection, EventParser, parsed, Problem, uuid } from "./connection.js";
export { Engine } from "./engine.js";
export { addImage, readImage } from "./images.js";
export { keepMine, noIssue, takeTheirs } from "./issues.js";
export { apply, defaults, emptyMirror, mutate, noDraft, outbox, ownCount, view } from "./mirror.js";
export { falls, followingDue, instantOf, nextOccurrence, readRule, wallOf, weekdays } from "./recurrence.js";
export { succession, uuidOf } from "./series.js";
export { isSame, positionIn, stateOf, stays, turn, valueOf } from "./steps.js";
export { Store } from "./store.js";
export { receive, replace, request, settle } from "./sync.js";
export { remembered, trashPaths } from "./trash.js";
export { between, comparison, isFound, Views } from "./views.js";
export { inOrder, orderKey, sameKey, searchKey, searchTerms } from "./words.js";

/** @param {import("../kanbase.js").Options} options @returns {Promise<Board>} once it has read what this device has */
export async function open({ server, storage, token = null, name }) {
  const address = addressOf(server);
  if (storage !== undefined && storage !== "indexeddb" && storage !== "memory" && !storage?.write) throw new TypeError("storage is \"indexeddb\", \"memory\" or an adapter.");
  const isMemory = storage === "memory" || (!storage && !globalThis.indexedDB);
  const store = isMemory ? new Keeper(null) : typeof storage === "object" ? new Keeper(storage) : new Store(`Kanbase ${name ?? address}`);
  const engine = new Engine(store, new Connection(address));
  await engine.read();
  return new Board(engine, token);
}

/** @param {string | URL} server */
function addressOf(server) {
  // React Native has a `URL` that does not read.
  if (/^https?:\/\/[^\s?#]+$/i.test(`${server}`)) return `${server}`.replace(/\/+$/, "");
  throw new Problem(0, { code: "invalid_address", detail: `${server} is not an address such as https://kanbase.example.org.` });
}
