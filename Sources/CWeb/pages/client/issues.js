// What may be done about an issue, as the edits that do it.
import { uuid } from "./connection.js";
import { view } from "./mirror.js";
import { isSame, positionIn } from "./steps.js";

/**
 * A patch of the members that still are as they were: newer words stay.
 * @param {Views} views @param {Issue} issue @param {[member: string, was: any, wanted: any][]} parts @returns {Intent[]}
 */
function patch(views, { type, target: id }, parts) {
  const now = view(views.engine.mirror, type, id);
  /** @type {Record<string, any>} */
  const value = {};
  for (const [member, was, wanted] of parts) {
    const [name, key] = member.split(/\.(.*)/s);
    if (now && isSame(name, key ? now[name][key] : now[name], was) && !isSame(name, was, wanted)) value[name] = key ? { ...value[name], [key]: wanted } : wanted;
  }
  return Object.keys(value).length ? [{ type, op: "patch", id, value }] : [];
}

/**
 * What the user wrote holds. Of both members that both changed it does already; what was refused is tried again, and what was deleted
 * or lost comes back.
 * @param {Views} views @param {Issue} issue @param {string} [title] of a task whose own is not known @returns {Settling}
 */
export function keepMine(views, issue, title) {
  const { kind, type, target, op, value, code } = issue;
  const answered = [noIssue(issue)];
  if (kind === "merged") return { intents: [], answered };
  if (kind === "lost") return sendAgain(views, issue, title);
  const again = { type, op, id: target, value: savable(views, value), ...(op === "create" && type === "task" && { position: positionIn(views, target, value ?? {}) }) };
  if (code !== "deleted") return { intents: [again], answered };
  return { intents: [{ type, op: "restore", id: target }, ...(value ? [{ ...again, op: /** @type {const} */ ("patch") }] : [])], answered };
}

/**
 * What the server has holds, or what is made of both.
 * @param {Views} views @param {Issue} issue @param {any} [both] @returns {Settling}
 */
export function takeTheirs(views, issue, both) {
  return { intents: patch(views, issue, issue.conflicts.map(({ member, yours, theirs }) => [member, yours, both ?? theirs])), answered: [noIssue(issue)] };
}

/** @param {Issue} issue @returns {Change} */
export const noIssue = ({ id }) => ({ store: "issue", key: id, value: undefined });

/** @param {Views} views @param {any} value without a category that is gone */
function savable(views, value) {
  return value?.categoryId && !views.categories.has(value.categoryId) ? { ...value, categoryId: null } : value ?? undefined;
}

/**
 * Makes again what the server lost. With a task comes its category where that is lost, too, perhaps under another id.
 * @param {Views} views @param {Issue} issue @param {string} [title] @returns {Settling}
 */
function sendAgain(views, issue, title = "Task") {
  const { type, op, target, value, restored } = issue;
  const { mirror } = views.engine;
  const lost = mirror.issue.get(`lost:${value?.categoryId}`);
  const first = lost ? sendAgain(views, lost) : { intents: [], answered: [] };
  const id = op === "create" ? uuid() : target;
  const whole = { ...(type === "task" && { title }), ...savable(views, value), ...(lost && { categoryId: first.intents[0]?.id ?? lost.target }) };
  const own = view(mirror, type, id) ? patch(views, issue, Object.entries(whole).map(([name, wanted]) => [name, restored?.[name], wanted]))
    : [{ type, op, id, value: whole, ...(type === "task" && { position: positionIn(views, id, whole) }) }];
  return { intents: [...first.intents, ...own], answered: [...first.answered, noIssue(issue)] };
}

/** @param {Issue["kind"]} kind @returns {string} what is said where the server says nothing */
export const reasonFor = (kind) => ({
  merged: "You and somebody else changed this. Your words are the newer ones.",
  refused: "Somebody else deleted this.",
  lost: "The server no longer has this.",
})[kind];
