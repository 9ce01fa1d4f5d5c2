// The mirror of the server's data with the unsent edits on top, as pure functions: they use no network, no storage, no clock and
// no page.
import { skipped, succession } from "./series.js";
import { remembered } from "./trash.js";

export const stores = /** @type {const} */ (
  ["task", "category", "dday", "settings", "outbox", "issue", "draft", "answer", "meta"]);
export const types = /** @type {const} */ (["task", "category", "dday", "settings"]);

/** @returns {Mirror} */
export function emptyMirror() {
  return /** @type {any} */ (Object.fromEntries(stores.map((name) => [name, new Map()])));
}

/** @param {Mirror} mirror @param {Change[]} changes */
export function apply(mirror, changes) {
  for (const { store, key, value } of changes) {
    const map = /** @type {Map<string, any>} */ (mirror[store]);
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
}

/**
 * The number of edits, drafts and questions that are on this device alone.
 * @param {Mirror} mirror
 */
export const ownCount = ({ outbox, draft, issue }) => outbox.size + draft.size + issue.size;

/** @param {string} key @param {any} [value] @returns {Change} */
export const kept = (key, value) => ({ store: "meta", key, value });

/** @param {string} key @returns {Change} */
export const noDraft = (key) => ({ store: "draft", key, value: undefined });

/** @type {Record<string, Record<string, any>>} */
export const defaults = {
  task: { title: "", body: "", status: "todo", categoryId: null, dueDate: null, recurrence: null, reminders: null, completedAt: null, position: "", revision: 0 },
  category: { name: "", color: null, emoji: null, image: null, revision: 0 },
  dday: { title: "", date: "", repeats: "none", color: null, emoji: null, image: null, revision: 0 },
  settings: { timeZone: null, locale: null, custom: {}, allDayTime: null, digest: null, revision: 0 },
};

/** @param {Mirror} mirror */
export function outbox(mirror) {
  return [...mirror.outbox.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** @param {Mirror} mirror @param {string} id @param {Op} [op] */
export const isEdited = (mirror, id, op) => [...mirror.outbox.values()].some(({ mutation }) => mutation.id === id && (!op || mutation.op === op));

/**
 * A resource as the user sees it: the server's copy with the unsent edits on top; undefined when it does not exist.
 * @param {Mirror} mirror @param {ResourceType} type @param {string} id
 * @param {Entry[]} [entries] of this resource, in order
 */
export function view(mirror, type, id, entries = outbox(mirror).filter(({ mutation, next }) => mutation.type === type && (mutation.id === id || next?.id === id))) {
  let value = /** @type {any} */ (mirror[type].get(id));
  for (const entry of entries) {
    if (entry.mutation.id === id) value = replay(type, value, entry, mirror);
    else value = entry.next?.value ? { ...value, ...entry.next.value } : undefined;
  }
  return value;
}

/** @param {ResourceType} type @param {any} value @param {Entry} entry @param {Mirror} mirror */
function replay(type, value, { mutation, position, at, own }, mirror) {
  switch (mutation.op) {
    case "delete": return undefined;
    case "create": case "put": return value ?? { ...defaults[type], createdAt: at, updatedAt: at, ...mutation.value, ...own, id: mutation.id, position };
    case "restore": {
      // What this device has not kept is there once the server has answered.
      const kept = mirror.meta.get(`deleted:${mutation.id}`);
      return value ?? (kept && { ...kept, ...(position !== undefined && { position }) });
    }
    case "skip": return value && { ...value, ...own };
    default: break;
  }
  if (!value) return type === "settings" ? merged({ ...defaults.settings }, mutation.value ?? {}, defaults.settings) : undefined;
  const members = { ...mutation.value };
  if (mutation.op === "move") for (const name of ["before", "after", "place"]) delete members[name];
  const next = merged(value, members, defaults[type]);
  if (position !== undefined) next.position = position;
  if (type === "task" && next.status !== value.status) next.completedAt = next.status === "done" ? at : null;
  return own ? { ...next, ...own } : next;
}

/**
 * RFC 7396, except that null resets a member of the resource to its default.
 * @param {any} value @param {Record<string, any>} patch @param {Record<string, any>} initial
 */
function merged(value, patch, initial) {
  const result = { ...value };
  for (const [name, member] of Object.entries(patch)) {
    result[name] = name === "custom" && member ? mergePatch(result.custom, member) : member ?? initial[name] ?? null;
  }
  return result;
}

/** @param {any} target @param {any} patch @returns {any} */
function mergePatch(target, patch) {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result = typeof target === "object" && !Array.isArray(target) ? { ...target } : {};
  for (const [name, member] of Object.entries(patch)) {
    if (member === null) delete result[name];
    else result[name] = mergePatch(result[name], member);
  }
  return result;
}

/** @param {Mirror} mirror @param {Pick<Mutation, "type" | "id">} target @returns {any} the last that this device knew of it */
export const knownOf = (mirror, { type, id }) => mirror[type].get(id) ?? mirror.meta.get(`deleted:${id}`);

/** @param {Mirror} mirror @param {Intent} intent @param {{mutationId: string, key: string, at: string}} made */
export function mutate(mirror, intent, made) {
  const { type, op, id, value, position, visit } = intent;
  // Of what this device makes, and the server has not given to it, all that others wrote is newer. But the category that it loses may be
  // there under the id of another one of its name.
  const unseen = op === "put" || type === "settings" || (isEdited(mirror, id, "create") && value?.categoryId !== null) ? 0 : undefined;
  const base = intent.baseRevision || knownOf(mirror, intent)?.revision || unseen;
  /** @type {Mutation} */
  const mutation = { mutationId: made.mutationId, type, op, id, at: made.at };
  if (value !== undefined) mutation.value = value;
  if (op !== "create") mutation.baseRevision = base;
  /** @type {Entry} */
  const entry = { key: made.key, mutation, at: made.at, ...(position !== undefined && { position }), ...(visit && { visit }) };
  if (type === "task" && op !== "delete" && op !== "restore") Object.assign(entry, followed(mirror, entry));
  /** @type {Change[]} */
  const changes = [{ store: "outbox", key: entry.key, value: entry }];
  if (op === "delete") {
    // Kept, so that undo shows it again at once.
    const shown = view(mirror, type, id);
    if (shown) changes.push(remembered(shown));
  }
  return changes;
}

/**
 * What an edit of a task does by the rules of its series.
 * @param {Mirror} mirror @param {Entry} entry
 */
function followed(mirror, entry) {
  const { id, op } = entry.mutation;
  const before = view(mirror, "task", id);
  const zone = view(mirror, "settings", "settings")?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (op === "skip") return before ? { own: skipped(before, entry.at, zone) } : {};
  const after = replay("task", before, entry, mirror);
  if (!after?.recurrence && !before?.seriesId) return {};
  return succession(before, after, {
    at: entry.at, zone, ends: entry.mutation.value?.recurrence === null,
    find: (other) => view(mirror, "task", other), isTouched: (other) => isEdited(mirror, other), wasRemoved: (other) => Boolean(mirror.meta.get(`deleted:${other}`)?.recurrence),
    end: () => [...mirror.task.values(), ...mirror.outbox.values()].reduce((last, { position = "" }) => (position > last ? position : last), ""),
  });
}
