// The rules of sync as pure functions: what goes in a request, and what its answer and the feed change in the mirror.
import { defaults, isEdited, kept, knownOf, outbox, types, view } from "./mirror.js";
import { remembered } from "./trash.js";

/** How many edits go in one request; the server takes 500. */
export const batch = 200;

/**
 * The edits whose turn it is: not those that the account has no room for, nor what builds on them. A deletion needs no room.
 * @param {Mirror} mirror @param {Set<string>} held  the keys of those that it has no room for
 */
function inTurn(mirror, held) {
  const stuck = new Set();
  const made = new Set();
  return outbox(mirror).filter(({ key, mutation: { op, id, value }, next }) => {
    const isWaiting = held.has(key) || (op !== "delete" && stuck.has(id)) || Object.values(value ?? {}).some((part) => made.has(part));
    if (isWaiting) stuck.add(id).add(next?.id);
    if (isWaiting && ["create", "put"].includes(op)) made.add(id);
    return !isWaiting;
  });
}

/**
 * The next request: the oldest edits, and the answered mutations that they build on.
 * @param {Mirror} mirror @param {number} [limit] @param {Set<string>} [held]  keys of edits to pass
 */
export function request(mirror, limit = batch, held = new Set()) {
  const sent = inTurn(mirror, held).slice(0, limit);
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
 * Makes an edit one with the last one of the same visit of the editor, which waits: it takes the place of that.
 * @param {Mirror} mirror @param {Intent} intent @returns {[Intent, Change[]]} the edit that says both, and what takes the former out
 */
export function joined(mirror, intent) {
  const { type, id, visit, value, position } = intent;
  const last = visit && outbox(mirror).filter(({ mutation }) => mutation.id === id).at(-1);
  // With another base, in another column, or with the task that follows a completed one, the two say more than one can.
  if (!last || last.visit !== visit || last.next || (value.status && last.mutation.value?.status)
    || (last.mutation.baseRevision ?? 0) !== (mirror[type].get(id)?.revision ?? 0)) return [intent, []];
  const { mutationId, value: before } = last.mutation;
  // If the server has that one already, and its answer was lost, this one builds on it.
  const known = [...(mirror.meta.get("known") ?? []), { id: mutationId, target: id }];
  return [{ ...intent, position: position ?? last.position, value: { ...before, ...value } },
    [{ store: "outbox", key: last.key, value: undefined }, kept("known", known)]];
}

/**
 * Handles the response to a request: its edits leave the outbox; refused and merged ones become issues. What the account has no
 * room for stays.
 * @param {Mirror} mirror @param {Entry[]} sent @param {any[]} results @param {string} at
 * @param {Set<string>} [held]  gets the keys of those that stay
 */
export function settle(mirror, sent, results, at, held = new Set()) {
  /** @type {Change[]} */
  const changes = [];
  const left = new Map(mirror.outbox);
  // Several edits of what is lost are one issue.
  const issues = new Map(mirror.issue);
  /** @type {Map<string, string | null>} */
  const renamed = new Map();
  const reached = reachedBy(mirror);
  const answers = results.map((result) => ({ result, entry: sent.find(({ mutation }) => mutation.mutationId === result.mutationId) }));
  for (const { result, entry } of answers) if (entry && result.problem?.code === "quota_exceeded") held.add(entry.key);
  const turn = new Set(inTurn(mirror, held));
  const leave = (/** @type {string} */ key) => {
    held.delete(key);
    changes.push({ store: "outbox", key, value: undefined });
    return left.delete(key);
  };
  for (const { result, entry } of answers) {
    if (!entry || !left.has(entry.key)) continue;
    // It builds on what has to wait.
    if (result.status === "rejected" && !turn.has(entry)) continue;
    leave(entry.key);
    const { mutation } = entry;
    // What waits to change it has nothing to change any more.
    if (mutation.op === "delete") for (const other of [...left.values()]) if (other.mutation.id === mutation.id && other.key < entry.key) leave(other.key);
    const { value, successor } = result;
    const known = knownOf(mirror, mutation);
    // The user may bring it back, and the server may not have it in its trash any more.
    if (result.status === "conflict" && !value && known) changes.push(remembered(known));
    // A repeat has its first result. What the feed has brought since is newer, and may be a deletion.
    const isOld = (/** @type {string} */ id) => (/** @type {any} */ (mirror[mutation.type].get(id))?.revision ?? reached) > (result.revision ?? Infinity);
    if (successor && !isOld(successor.id)) changes.push({ store: "task", key: successor.id, value: stripped(successor) });
    if (value || (mutation.op === "delete" && result.status !== "rejected")) {
      const id = value?.id ?? mutation.id;
      if (id !== mutation.id) {
        renamed.set(mutation.id, id);
        // An app may still have ours.
        changes.push(kept(`same:${mutation.id}`, id));
      }
      if (!isOld(id)) changes.push({ store: mutation.type, key: id, value: value ? stripped(value) : undefined });
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

/** @param {Mirror} mirror @returns {number} the newest revision that the feed has brought */
const reachedBy = ({ meta }) => Number(meta.get("cursor")?.split("-")[1]);

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
  return known.length || before.length ? [kept("known", known.length ? known : undefined)] : [];
}

/**
 * The members of the settings' `custom` are contested one by one. Later edits that wait have the user's newest words.
 * @param {Conflict} conflict @param {any} shown @returns {Conflict[]}
 */
function byKey(conflict, shown = {}) {
  const { member, base, theirs } = conflict;
  const { [member]: yours = conflict.yours } = shown;
  if (member !== "custom") return [{ ...conflict, yours }];
  return Object.keys({ ...theirs, ...yours }).flatMap((key) => {
    const [was, is, own] = [base, theirs, yours].map((side) => side?.[key] ?? null);
    // What they left alone is no question, nor what they do not have. The server leaves out a large base.
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ member: `custom.${key}`, base: was, theirs: is, yours: own }];
  });
}

/** @param {Mirror} mirror @param {Entry} entry @param {any} result @param {string} at @returns {Issue | null} */
function issueOf(mirror, { key, mutation }, result, at) {
  const { type, op, id, value } = mutation;
  // With what waits behind it.
  const shown = () => view({ ...mirror, [type]: new Map([[id, result.value]]) }, type, id, outbox(mirror).filter((other) => other.key > key && other.mutation.id === id));
  const conflicts = (result.conflicts ?? []).flatMap((/** @type {Conflict} */ each) => byKey(each, shown())).filter((/** @type {Conflict} */ { member, theirs, yours }) => member !== "position" && JSON.stringify(theirs) !== JSON.stringify(yours));
  const isRefused = result.status === "rejected" || result.status === "conflict";
  // It was applied before a category in it got another id; that answer was lost.
  if (result.problem?.code === "idempotency_key_reused") return null;
  const isDeleted = result.status === "conflict" && !result.value;
  const isLost = result.problem?.code === "not_found";
  // The restore before this patch was refused: its issue takes these words, too.
  if ((isLost && type !== "settings" && ["patch", "move", "restore", "skip"].includes(op)) || (isDeleted && op === "patch" && mirror.issue.has(`lost:${id}`))) {
    return lost(mirror, type, id, "create", op === "patch" && value ? value : {}, at);
  }
  // Another user deleted it, too, or it was a move: no text of the user is lost.
  if (isLost ? op === "delete" : isDeleted && ["move", "skip"].includes(op)) return null;
  if (!isRefused && conflicts.length === 0) return null;
  // All patches of what is deleted are one issue.
  const name = isDeleted && op === "patch" ? `deleted:${id}` : mutation.mutationId;
  const words = { ...mirror.issue.get(name)?.value, ...value };
  return {
    id: name, kind: isRefused ? "refused" : "merged", type, target: id,
    title: titleOf({ ...result.value ?? knownOf(mirror, mutation), ...words }), op, value: value ? words : null, conflicts, at,
    problem: result.problem, code: result.status === "conflict" ? "deleted" : result.problem?.code,
  };
}

/** @param {Record<string, any>} value @returns {string} */
const titleOf = ({ title, name }) => title ?? name ?? "";

/**
 * The issue of something that the server has no more, with all that this device knows of it.
 * @param {Mirror} mirror @param {ResourceType} type @param {string} id
 * @param {Op} op  `create` under a new id when the server may have used this one
 * @param {Record<string, any>} edits @param {string} at @returns {Issue}
 */
function lost(mirror, type, id, op, edits, at) {
  const key = `lost:${id}`;
  const known = knownOf(mirror, { type, id }) ?? {};
  const members = Object.keys(defaults[type]).filter((name) => name in known && !["completedAt", "image", "position", "revision"].includes(name));
  const before = mirror.issue.get(key);
  const value = { ...Object.fromEntries(members.map((name) => [name, known[name]])), ...before?.value, ...edits };
  return { id: key, kind: "lost", type, target: id, title: titleOf(value), op: before?.op ?? op, value, conflicts: [], at };
}

/**
 * True if the server was restored: its history is another, or ends earlier.
 * @param {string} before @param {string} now  cursors
 */
function isSetBack(before, now) {
  const [[epoch, reached], [current, end]] = [before.split("-"), now.split("-")];
  return epoch !== current || Number(end) < Number(reached);
}

/**
 * @param {Mirror} mirror @param {ResourceType} type @param {string} id that somebody deleted
 * @returns {Change[]} keeps it for the issue of an edit that waits
 */
function removed(mirror, type, id) {
  const known = /** @type {any} */ (mirror[type].get(id));
  // A deletion that waits has kept a newer one.
  return [...known && isEdited(mirror, id) && !isEdited(mirror, id, "delete") ? [remembered(known)] : [], { store: type, key: id, value: undefined }];
}

/** @param {Mirror} mirror @param {any[]} feed @param {string | null} cursor */
export function receive(mirror, feed, cursor) {
  /** @type {Change[]} */
  const changes = [];
  const reached = reachedBy(mirror);
  // A resource may be created and deleted within one page.
  const made = new Set();
  for (const { type, id, deleted, value, revision } of feed) {
    if (!types.includes(type)) continue;
    const known = mirror[/** @type {ResourceType} */ (type)].get(id);
    // Of what is not known, a page that is older than the cursor brings nothing: it was deleted since.
    if (known ? known.revision > revision : revision <= reached) continue;
    if (deleted && !known && !made.has(id)) continue;
    made.add(id);
    changes.push(...deleted ? removed(mirror, type, id) : [{ store: type, key: id, value }]);
  }
  if (cursor) changes.push(kept("cursor", cursor));
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
  const changes = [kept("before")];
  for (const type of types) {
    for (const [id, mine] of mirror[type]) {
      const theirs = state.get(`${type} ${id}`)?.value;
      if (!theirs) changes.push(...removed(mirror, type, id));
      if (!isRestored || type === "settings") continue;
      const issue = lost(mirror, type, id, theirs ? "patch" : "put", {}, at);
      const isOlder = theirs?.updatedAt < /** @type {any} */ (mine).updatedAt
        && Object.entries(issue.value ?? {}).some(([name, member]) => JSON.stringify(theirs[name] ?? null) !== JSON.stringify(member ?? null));
      if (!theirs || isOlder) changes.push({ store: "issue", key: issue.id, value: { ...issue, restored: theirs } });
    }
  }
  for (const { type, id, value } of state.values()) changes.push({ store: type, key: id, value });
  changes.push(kept("cursor", cursor));
  return changes;
}
