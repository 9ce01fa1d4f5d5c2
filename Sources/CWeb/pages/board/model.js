// The data of the page: the mirror with the unsent edits on top, by column, filtered and sorted.
import { dueDay, today } from "./dates.js";
import { outbox, view } from "./mirror.js";
import { inOrder, orderKey, searchKey, searchTerms } from "./words.js";

export const columns = /** @type {Status[]} */ (["todo", "doing", "done"]);

const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export class Model {
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
    this.settings = { timeZone: null, locale: null, custom: {}, allDayTime: null, digest: null, revision: 0 };
    /** @type {Filter} */
    this.filter = { categories: new Set(), due: "", query: "", sort: "position" };
    /** @type {Map<string, {type: string, id: string, next?: string}>} the target of each outbox entry, by its key, and the task that follows it */
    this.targets = new Map();
    /** @type {Set<string>} */
    this.unsent = new Set();
    /** @type {Map<Status, Task[]>} the visible tasks of each column, until something changes */
    this.lists = new Map();
    /** Whether the board shows finished tasks of the archive, and how many it does not show. */
    this.showsArchive = false;
    this.archived = 0;
    /** @type {Set<(stores: Set<string>) => void>} */
    this.watchers = new Set();
  }

  begin() {
    const { mirror } = this.engine;
    /** @type {Change[]} */
    const changes = [];
    for (const [store, map] of Object.entries(mirror)) {
      for (const [key, value] of map) changes.push({ store: /** @type {any} */ (store), key, value });
    }
    this.take(changes);
  }

  /** @param {Change[]} changes */
  take(changes) {
    /** @type {Map<string, {type: string, id: string}>} */
    const touched = new Map();
    const stores = new Set(changes.map((change) => change.store));
    for (const { store, key, value } of changes) {
      if (store === "outbox") {
        const target = value ? { type: value.mutation.type, id: value.mutation.id, next: value.next?.id } : this.targets.get(key);
        if (value && target) this.targets.set(key, target);
        else this.targets.delete(key);
        if (target) touched.set(`${target.type} ${target.id}`, target);
        if (target?.next) touched.set(`task ${target.next}`, { type: "task", id: target.next });
      } else if (["task", "category", "dday", "settings"].includes(store)) {
        touched.set(`${store} ${key}`, { type: store, id: key });
      }
    }
    if (touched.size > 0) this.recompute([...touched.values()]);
    for (const watcher of this.watchers) watcher(stores);
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
        if (value) this.settings = value;
        continue;
      }
      const map = /** @type {Map<string, any>} */ (/** @type {any} */ (maps)[type]);
      if (value === undefined) map.delete(id);
      else map.set(id, value);
    }
    this.lists.clear();
  }

  /** @param {Partial<Filter>} change */
  setFilter(change) {
    Object.assign(this.filter, change);
    this.lists.clear();
    for (const watcher of this.watchers) watcher(new Set(["filter"]));
  }

  /** The chosen categories, without deleted ones. */
  get chosen() {
    return [...this.filter.categories].filter((id) => id === "none" || this.categories.has(id));
  }

  get isFiltered() {
    const { due, query } = this.filter;
    return this.chosen.length > 0 || due !== "" || query !== "";
  }

  /**
   * The visible tasks of a column, in order.
   * @param {Status} status
   */
  list(status) {
    const known = this.lists.get(status);
    if (known) return known;
    const list = [];
    const terms = searchTerms(this.filter.query);
    const isArchived = status === "done" && terms.length === 0 ? this.archive() : () => false;
    let archived = 0;
    for (const task of this.tasks.values()) {
      if (task.status !== status || !this.matches(task, terms)) continue;
      if (isArchived(task)) archived += 1;
      if (this.showsArchive || !isArchived(task)) list.push(task);
    }
    if (status === "done") this.archived = archived;
    list.sort(this.comparison());
    this.lists.set(status, list);
    return list;
  }

  /** @returns {(task: Task) => boolean} of finished tasks: those of two weeks ago and before, and those that were cleared away */
  archive() {
    const old = new Date(Date.now() - 14 * 86400000).toISOString();
    const cleared = this.settings.custom?.doneClearedAt;
    const last = typeof cleared === "string" && cleared > old ? cleared : old;
    return ({ completedAt }) => !!completedAt && completedAt <= last;
  }

  /**
   * All tasks of a column by position, whatever the filter.
   * @param {Status} status
   */
  column(status) {
    return [...this.tasks.values()].filter((task) => task.status === status).sort(byPosition);
  }

  /** @param {Task} task @param {((key: string) => boolean)[]} terms of the search */
  matches(task, terms = searchTerms(this.filter.query)) {
    const { chosen, filter: { due } } = this;
    if (chosen.length > 0 && !chosen.includes(task.categoryId ?? "none")) return false;
    if (terms.length > 0) {
      const keys = searchKeys(task);
      if (!terms.every((has) => keys.some(has))) return false;
    }
    if (!due) return true;
    const day = task.dueDate ? dueDay(task.dueDate, this.zone) : null;
    const now = today(this.zone);
    switch (due) {
      case "overdue": return day !== null && day < now && task.status !== "done";
      case "today": return day === now;
      case "upcoming": return day !== null && day > now;
      case "none": return day === null;
      default: return true;
    }
  }

  /** @returns {(a: Task, b: Task) => number} */
  comparison() {
    const time = (/** @type {Task} */ task) => (task.dueDate ? Date.parse(task.dueDate) : Infinity);
    switch (this.filter.sort) {
      case "dueDate": return (a, b) => order(time(a), time(b)) || byPosition(a, b);
      case "-createdAt": return (a, b) => order(b.createdAt, a.createdAt) || byPosition(a, b);
      case "-updatedAt": return (a, b) => order(b.updatedAt, a.updatedAt) || byPosition(a, b);
      case "title": return (a, b) => inOrder(orderKey(a.title), orderKey(b.title)) || byPosition(a, b);
      default: return byPosition;
    }
  }

  /** The account's zone, else the browser's. */
  get zone() {
    return this.settings.timeZone ?? browserZone;
  }

  /** The zone that a new rule names: where the account has none, the server would take its own. */
  get ruleZone() {
    return this.settings.timeZone ? null : browserZone;
  }

  get categoryList() {
    return [...this.categories.values()].sort((a, b) => inOrder(orderKey(a.name), orderKey(b.name)) || order(a.id, b.id));
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
    const middle = Math.floor((low + high) / 2);
    if (middle > low) return result + String.fromCharCode(middle);
    result += String.fromCharCode(low);
    // From here on it is below the upper neighbour, whatever follows.
    if (high > low) after = null;
  }
}

const order = (/** @type {any} */ a, /** @type {any} */ b) => (a < b ? -1 : a > b ? 1 : 0);

/** @param {Task} a @param {Task} b */
const byPosition = (a, b) => order(a.position, b.position) || order(a.id, b.id);
