// The rules of sync as pure functions: they compute the changes of the mirror. They use no network, no storage, no clock and
// no page.

export const stores = /** @type {const} */ (
  ["task", "category", "dday", "settings", "outbox", "issue", "draft", "answer", "meta"]);
export const types = /** @type {const} */ (["task", "category", "dday", "settings"]);

/** How many edits go in one request; the server takes 500. */
export const batch = 200;

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

/** @param {string} key @returns {Change} */
export const noDraft = (key) => ({ store: "draft", key, value: undefined });

/** @type {Record<string, Record<string, any>>} */
const defaults = {
  task: { title: "", body: "", status: "todo", categoryId: null, dueDate: null, completedAt: null, position: "", revision: 0 },
  category: { name: "", color: null, emoji: null, image: null, revision: 0 },
  dday: { title: "", date: "", repeats: "none", color: null, emoji: null, image: null, revision: 0 },
  settings: { timeZone: null, locale: null, custom: {}, revision: 0 },
};

/** @param {Mirror} mirror */
export function outbox(mirror) {
  return [...mirror.outbox.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * A resource as the user sees it: the server's copy with the unsent edits on top; undefined when it does not exist.
 * @param {Mirror} mirror @param {ResourceType} type @param {string} id
 * @param {Entry[]} [entries] of this resource, in order
 */
export function view(mirror, type, id, entries = outbox(mirror).filter((entry) => entry.mutation.type === type && entry.mutation.id === id)) {
  let value = /** @type {any} */ (mirror[type].get(id));
  for (const entry of entries) value = replay(type, value, entry, mirror);
  return value;
}

/** @param {ResourceType} type @param {any} value @param {Entry} entry @param {Mirror} mirror */
function replay(type, value, { mutation, position, at }, mirror) {
  switch (mutation.op) {
    case "delete": return undefined;
    case "create": case "put": return value ?? { ...defaults[type], createdAt: at, updatedAt: at, ...mutation.value, id: mutation.id, position };
    case "restore": return value ?? { ...mirror.meta.get(`deleted:${mutation.id}`), ...(position !== undefined && { position }) };
    default: break;
  }
  if (!value) return type === "settings" ? merged({ ...defaults.settings }, mutation.value ?? {}, defaults.settings) : undefined;
  const members = { ...mutation.value };
  if (mutation.op === "move") for (const name of ["before", "after", "place"]) delete members[name];
  const next = merged(value, members, defaults[type]);
  if (position !== undefined) next.position = position;
  if (type === "task" && next.status !== value.status) next.completedAt = next.status === "done" ? at : null;
  return next;
}

/**
 * RFC 7396, except that null resets a member of the resource to its default.
 * @param {any} value @param {Record<string, any>} patch @param {Record<string, any>} initial
 */
function merged(value, patch, initial) {
  const result = { ...value };
  for (const [name, member] of Object.entries(patch)) {
    if (name === "custom" && member) result.custom = mergePatch(result.custom, member);
    else result[name] = member ?? initial[name] ?? null;
  }
  return result;
}

/** @param {any} target @param {any} patch @returns {any} */
function mergePatch(target, patch) {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result = typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, member] of Object.entries(patch)) {
    if (member === null) delete result[name];
    else result[name] = mergePatch(result[name], member);
  }
  return result;
}

/** @param {Mirror} mirror @param {Intent} intent @param {{mutationId: string, key: string, at: string}} made */
export function mutate(mirror, intent, made) {
  const { type, op, id, value, position } = intent;
  const base = intent.baseRevision ?? /** @type {any} */ (mirror[type].get(id))?.revision;
  /** @type {Mutation} */
  const mutation = { mutationId: made.mutationId, type, op, id };
  if (value !== undefined) mutation.value = value;
  if (op !== "create" && base) mutation.baseRevision = base;
  const entry = { key: made.key, mutation, at: made.at, ...(position !== undefined && { position }) };
  /** @type {Change[]} */
  const changes = [{ store: "outbox", key: entry.key, value: entry }];
  if (op === "delete") {
    // Kept, so that undo shows the task again at once.
    const shown = view(mirror, type, id);
    if (shown && type === "task") changes.push({ store: "meta", key: `deleted:${id}`, value: shown });
  }
  return changes;
}

/**
 * The next request: the oldest edits, and the answered mutations that they build on.
 * @param {Mirror} mirror @param {number} [limit]
 */
export function request(mirror, limit = batch) {
  const sent = outbox(mirror).slice(0, limit);
  if (sent.length === 0) return null;
  // Edits of a new category wait for its answer: the server may have one of this name, which they are not for.
  const made = new Set(sent.filter(({ mutation: { type, op } }) => type === "category" && op === "create").map(({ mutation }) => mutation.id));
  const end = sent.findIndex(({ mutation: { op, id } }) => op !== "create" && made.has(id));
  if (end > 0) sent.length = end;
  const known = /** @type {{id: string, target: string}[]} */ (mirror.meta.get("known") ?? []);
  const targets = new Set(sent.map((entry) => entry.mutation.id));
  const named = known.filter((item) => targets.has(item.target)).slice(-500).map((item) => item.id);
  return { sent, body: { mutations: sent.map((entry) => entry.mutation), ...(named.length && { known: named }) } };
}

/**
 * Handles the response to a request: its edits leave the outbox; refused and merged ones become issues.
 * @param {Mirror} mirror @param {Entry[]} sent @param {any[]} results @param {string} at
 */
export function settle(mirror, sent, results, at) {
  /** @type {Change[]} */
  const changes = [];
  const left = new Map(mirror.outbox);
  // Several edits of what is lost are one issue.
  const issues = new Map(mirror.issue);
  /** @type {Map<string, string | null>} */
  const renamed = new Map();
  const reached = Number(mirror.meta.get("cursor")?.split("-")[1]);
  for (const result of results) {
    const entry = sent.find(({ mutation }) => mutation.mutationId === result.mutationId);
    if (!entry || !left.delete(entry.key)) continue;
    const { mutation } = entry;
    changes.push({ store: "outbox", key: entry.key, value: undefined });
    const { value } = result;
    if (value || (mutation.op === "delete" && result.status !== "rejected")) {
      const id = value?.id ?? mutation.id;
      if (id !== mutation.id) renamed.set(mutation.id, id);
      // A repeat has its first result. What the feed has brought since is newer, and may be a deletion.
      const known = /** @type {any} */ (mirror[mutation.type].get(id))?.revision ?? reached;
      const isOld = known > (result.revision ?? Infinity);
      if (!isOld) changes.push({ store: mutation.type, key: id, value: value ? stripped(value) : undefined });
    }
    const issue = issueOf({ ...mirror, issue: issues }, entry, result, at);
    if (!issue) continue;
    issues.set(issue.id, issue);
    changes.push({ store: "issue", key: issue.id, value: issue });
  }
  // Ours is deleted already. The server's is another's: it stays as it is.
  for (const { mutation: { op, id } } of left.values()) if (op === "delete" && renamed.has(id)) renamed.set(id, null);
  for (const [key, entry] of left) {
    const moved = rename(entry, renamed);
    if (moved !== entry) changes.push({ store: "outbox", key, value: moved });
  }
  changes.push(...remember(mirror, sent, left));
  return changes;
}

/** @param {any} value without its computed members, as in the change feed */
function stripped({ taskCount, doneCount, deadline, countdown, ...value }) {
  return value;
}

/**
 * A category with this name exists: replaces our id with its id, or with none, and drops the edits of none.
 * @param {Entry} entry @param {Map<string, string | null>} renamed
 */
function rename(entry, renamed) {
  const { mutation } = entry;
  const id = renamed.get(mutation.id);
  const categoryId = renamed.get(mutation.value?.categoryId);
  if (id === null) return undefined;
  if (!id && categoryId === undefined) return entry;
  const value = categoryId === undefined ? mutation.value : { ...mutation.value, categoryId };
  return { ...entry, mutation: { ...mutation, id: id ?? mutation.id, value } };
}

/**
 * Waiting edits may build on edits that were just answered: the next request names those.
 * @param {Mirror} mirror @param {Entry[]} sent @param {Map<string, Entry>} left @returns {Change[]}
 */
function remember(mirror, sent, left) {
  const waiting = new Set([...left.values()].map(({ mutation }) => mutation.id));
  const before = mirror.meta.get("known") ?? [];
  const known = [...before, ...sent.map(({ mutation }) => ({ id: mutation.mutationId, target: mutation.id }))]
    .filter((item) => waiting.has(item.target));
  if (known.length === 0 && before.length === 0) return [];
  return [{ store: "meta", key: "known", value: known.length ? known : undefined }];
}

/** @param {Mirror} mirror @param {Entry} entry @param {any} result @param {string} at @returns {Issue | null} */
function issueOf(mirror, { mutation }, result, at) {
  const conflicts = (result.conflicts ?? []).filter((/** @type {any} */ conflict) =>
    conflict.member !== "position" && JSON.stringify(conflict.theirs) !== JSON.stringify(conflict.yours));
  const isRefused = result.status === "rejected" || result.status === "conflict";
  // It was applied before a category in it got another id; that answer was lost.
  if (result.problem?.code === "idempotency_key_reused") return null;
  // Only tasks have a trash from which they can be restored.
  const isLost = result.problem?.code === "not_found" || (result.status === "conflict" && mutation.type !== "task" && !result.value);
  if (isLost && mutation.type !== "settings" && ["patch", "move", "restore"].includes(mutation.op)) {
    return lost(mirror, mutation.type, mutation.id, "create", mutation.op === "patch" ? mutation.value ?? {} : {}, at);
  }
  // Another user deleted it, too, or it was a move: no text of the user is lost.
  if (result.status === "conflict" && mutation.op === "move" && !result.value) return null;
  if (!isRefused && conflicts.length === 0) return null;
  const target = result.value ?? mirror[mutation.type].get(mutation.id);
  return {
    id: mutation.mutationId, kind: isRefused ? "refused" : "merged", type: mutation.type, target: mutation.id,
    title: mutation.value?.title ?? mutation.value?.name ?? target?.title ?? target?.name ?? "", op: mutation.op,
    value: mutation.value ?? null, conflicts, at,
    problem: result.problem,
    code: result.problem?.code ?? (result.status === "conflict" ? "deleted" : undefined),
  };
}

/**
 * The issue of something that the server has no more, with all that this device knows of it.
 * @param {Mirror} mirror @param {ResourceType} type @param {string} id
 * @param {Op} op  `create` under a new id when the server may have used this one
 * @param {Record<string, any>} edits @param {string} at @returns {Issue}
 */
function lost(mirror, type, id, op, edits, at) {
  const key = `lost:${id}`;
  const known = /** @type {any} */ (mirror[type].get(id)) ?? mirror.meta.get(`deleted:${id}`) ?? {};
  const members = Object.keys(defaults[type]).filter((name) => name in known && !["completedAt", "image", "position", "revision"].includes(name));
  const before = mirror.issue.get(key);
  const value = { ...Object.fromEntries(members.map((name) => [name, known[name]])), ...before?.value, ...edits };
  return { id: key, kind: "lost", type, target: id, title: value.title ?? value.name ?? "", op: before?.op ?? op, value, conflicts: [], at };
}

/**
 * Whether the server was restored: its history is another, or ends earlier.
 * @param {string} before @param {string} now  cursors
 */
function isSetBack(before, now) {
  const [[epoch, reached], [current, end]] = [before.split("-"), now.split("-")];
  return epoch !== current || Number(end) < Number(reached);
}

/** @param {Mirror} mirror @param {any[]} feed @param {string | null} cursor */
export function receive(mirror, feed, cursor) {
  /** @type {Change[]} */
  const changes = [];
  // A resource may be created and deleted within one page.
  const made = new Set();
  for (const { type, id, deleted, value, revision } of feed) {
    if (!types.includes(type)) continue;
    const known = mirror[/** @type {ResourceType} */ (type)].get(id);
    if (known && known.revision > revision) continue;
    if (deleted && !known && !made.has(id)) continue;
    made.add(id);
    changes.push({ store: type, key: id, value: deleted ? undefined : value });
  }
  if (cursor) changes.push({ store: "meta", key: "cursor", value: cursor });
  return changes;
}

/**
 * Applies the whole state, the first one or after the server's history was replaced. What a restored server lost becomes issues.
 * @param {Mirror} mirror
 * @param {Map<string, any>} state by type and id @param {string} cursor @param {string} at
 */
export function replace(mirror, state, cursor, at) {
  const before = mirror.meta.get("before");
  const isRestored = before && isSetBack(before, cursor);
  /** @type {Change[]} */
  const changes = [{ store: "meta", key: "before", value: undefined }];
  for (const type of types) {
    for (const [id, mine] of mirror[type]) {
      const theirs = state.get(`${type} ${id}`)?.value;
      if (!theirs) changes.push({ store: type, key: id, value: undefined });
      if (!isRestored || type === "settings") continue;
      const issue = lost(mirror, type, id, theirs ? "patch" : "put", {}, at);
      const isOlder = theirs?.updatedAt < /** @type {any} */ (mine).updatedAt
        && Object.entries(issue.value ?? {}).some(([name, member]) => theirs[name] !== member);
      if (!theirs || isOlder) changes.push({ store: "issue", key: issue.id, value: issue });
    }
  }
  for (const { type, id, value } of state.values()) changes.push({ store: type, key: id, value });
  changes.push({ store: "meta", key: "cursor", value: cursor });
  return changes;
}
