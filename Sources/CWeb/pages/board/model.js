// The data of the page: the mirror with the unsent edits on top, by column, filtered and sorted.
import { comparison, isFound, searchTerms, Views } from "../client/kanbase.js";
import { dueDay, today } from "./dates.js";

export const columns = /** @type {Status[]} */ (["todo", "doing", "done"]);

/** The filters and orders that an address may name. */
export const dues = ["overdue", "today", "upcoming", "none"];
export const sorts = ["dueDate", "-createdAt", "-updatedAt", "title"];

export class Model extends Views {
  /** @param {Engine} engine */
  constructor(engine) {
    super(engine);
    /** @type {Filter} */
    this.filter = { categories: new Set(), due: "", query: "", sort: "position" };
    /** @type {Map<Status, Task[]>} the visible tasks of each column, until something changes */
    this.lists = new Map();
    /** True if the board shows the archive, and how many finished tasks are hidden. */
    this.showsArchive = false;
    this.archived = 0;
    /** @type {Set<(stores: Set<string>) => void>} */
    this.watchers = new Set();
  }

  /** @param {Change[]} changes */
  take(changes) {
    super.take(changes);
    const stores = new Set(changes.map((change) => change.store));
    for (const watcher of this.watchers) watcher(stores);
  }

  /** @param {{type: string, id: string}[]} touched */
  recompute(touched) {
    super.recompute(touched);
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
    list.sort(comparison(this.filter.sort));
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

  /** @param {Task} task @param {((key: string) => boolean)[]} terms of the search */
  matches(task, terms = searchTerms(this.filter.query)) {
    const { chosen, filter: { due } } = this;
    if (chosen.length > 0 && !chosen.includes(task.categoryId ?? "none")) return false;
    if (!isFound(task, terms)) return false;
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
}
