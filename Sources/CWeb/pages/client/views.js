// What is shown: the mirror with the unsent edits on top, and the order of lists.
import { apply, defaults, outbox, types, view } from "./mirror.js";
import { inOrder, orderKey, searchKey } from "./words.js";

const deviceZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export class Views {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    /** @type {Map<string, Task>} */
    this.tasks = new Map();
    /** @type {Map<string, Category>} */
    this.categories = new Map();
    /** @type {Map<string, DDay>} */
    this.ddays = new Map();
    /** @type {Settings} */
    this.settings = /** @type {any} */ (defaults.settings);
    /** @type {Map<string, {type: string, id: string, next?: string}>} the target of each outbox entry, by its key, and the task that follows it */
    this.targets = new Map();
    /** @type {Set<string>} */
    this.unsent = new Set();
  }

  begin() {
    this.take(Object.entries(this.engine.mirror).flatMap(([store, map]) => [...map].map(([key, value]) => ({ store: /** @type {any} */ (store), key, value }))));
  }

  /** @param {Change[]} changes */
  take(changes) {
    /** @type {Map<string, {type: string, id: string}>} */
    const touched = new Map();
    for (const { store, key, value } of changes) {
      if (store === "outbox") {
        const target = value ? { type: value.mutation.type, id: value.mutation.id, next: value.next?.id } : this.targets.get(key);
        if (value && target) this.targets.set(key, target);
        else this.targets.delete(key);
        if (target) touched.set(`${target.type} ${target.id}`, target);
        if (target?.next) touched.set(`task ${target.next}`, { type: "task", id: target.next });
      } else if (types.includes(/** @type {any} */ (store))) {
        touched.set(`${store} ${key}`, { type: store, id: key });
      }
    }
    if (touched.size > 0) this.recompute([...touched.values()]);
  }

  /** @param {{type: string, id: string}[]} touched */
  recompute(touched) {
    const { mirror } = this.engine;
    /** @type {Map<string, Entry[]>} */
    const entries = new Map();
    const unsent = outbox(mirror);
    for (const entry of unsent) {
      for (const key of [`${entry.mutation.type} ${entry.mutation.id}`, ...(entry.next ? [`task ${entry.next.id}`] : [])]) {
        entries.set(key, [...(entries.get(key) ?? []), entry]);
      }
    }
    this.unsent = new Set(unsent.flatMap(({ mutation, next }) => [mutation.id, ...(next ? [next.id] : [])]));
    const maps = { task: this.tasks, category: this.categories, dday: this.ddays };
    for (const { type, id } of touched) {
      const value = view(mirror, /** @type {any} */ (type), id, entries.get(`${type} ${id}`) ?? []);
      if (type === "settings") {
        this.settings = value ?? defaults.settings;
        continue;
      }
      apply(/** @type {any} */ (maps), [{ store: /** @type {any} */ (type), key: id, value }]);
    }
  }

  /**
   * All tasks of a column by position.
   * @param {Status} status
   */
  column(status) {
    return [...this.tasks.values()].filter((task) => task.status === status).sort(byPosition);
  }

  /** @param {any} id perhaps of a category that the server has under another, since it knew the name @returns {any} that one */
  idOf(id) {
    return this.engine.mirror.meta.get(`same:${id}`) ?? id;
  }

  /** The account's zone, else the device's. */
  get zone() {
    return this.settings.timeZone ?? deviceZone;
  }

  /** The zone that a new rule names: where the account has none, the server would take its own. */
  get ruleZone() {
    return this.settings.timeZone ? null : deviceZone;
  }

  get categoryList() {
    return [...this.categories.values()].sort((a, b) => inOrder(orderKey(a.name), orderKey(b.name)) || order(a.id, b.id));
  }
}

/** @param {string} sort @returns {(a: Task, b: Task) => number} */
export function comparison(sort) {
  const time = (/** @type {Task} */ task) => (task.dueDate ? Date.parse(task.dueDate) : Infinity);
  switch (sort) {
    case "dueDate": return (a, b) => order(time(a), time(b)) || byPosition(a, b);
    case "-createdAt": return (a, b) => order(b.createdAt, a.createdAt) || byPosition(a, b);
    case "-updatedAt": return (a, b) => order(b.updatedAt, a.updatedAt) || byPosition(a, b);
    case "title": return (a, b) => inOrder(orderKey(a.title), orderKey(b.title)) || byPosition(a, b);
    default: return byPosition;
  }
}

/** @type {WeakMap<Task, {title: string, body: string, keys: string[]}>} */
const searched = new WeakMap();

/**
 * Made once, because every key that is typed asks for those of all tasks.
 * @param {Task} task
 */
function searchKeys(task) {
  const known = searched.get(task);
  if (known?.title === task.title && known.body === task.body) return known.keys;
  const keys = [task.title, task.body].map(searchKey);
  searched.set(task, { title: task.title, body: task.body, keys });
  return keys;
}

/**
 * True if a task has each of the terms of a search.
 * @param {Task} task @param {((key: string) => boolean)[]} terms
 */
export function isFound(task, terms) {
  if (terms.length === 0) return true;
  const keys = searchKeys(task);
  return terms.every((has) => keys.some(has));
}

// The order of a column. Positions are opaque strings of the server, in the order of their bytes. Until the server has
// placed a task, the page gives it a position of its own between two others.
const lowest = 33;
const highest = 126;

/**
 * A string between two positions; null stands for the beginning or the end of the column.
 * @param {string | null} before
 * @param {string | null} after
 */
export function between(before, after) {
  let result = "";
  for (let place = 0; ; place += 1) {
    const low = before !== null && place < before.length ? before.charCodeAt(place) : lowest;
    const high = after !== null && place < after.length ? after.charCodeAt(place) : highest + 1;
    const middle = low + high >> 1;
    if (middle > low) return result + String.fromCharCode(middle);
    result += String.fromCharCode(low);
    // From here on it is below the upper neighbour, whatever follows.
    if (high > low) after = null;
  }
}

const order = (/** @type {any} */ a, /** @type {any} */ b) => (a < b ? -1 : a > b ? 1 : 0);

/** @param {Task} a @param {Task} b */
const byPosition = (a, b) => order(a.position, b.position) || order(a.id, b.id);
