// What may be done about an issue, as the edits that do it.
import { uuid } from "./connection.js";
import { between } from "./views.js";

/** @param {Issue} issue @param {any} value @returns {Intent} */
export function patchOf({ type, target }, value) {
  return { type, op: "patch", id: target, value };
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
  const again = { ...patchOf(issue, savable(views, value)), op };
  if (code !== "deleted") return { intents: [again], answered };
  return { intents: [{ type, op: "restore", id: target }, ...(op === "patch" ? [again] : [])], answered };
}

/**
 * What the server has holds.
 * @param {Issue} issue @returns {Settling}
 */
export function takeTheirs(issue) {
  const theirs = Object.fromEntries(issue.conflicts.map(({ member, theirs }) => [member, theirs]));
  return { intents: issue.kind === "merged" ? [patchOf(issue, theirs)] : [], answered: [noIssue(issue)] };
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
  const { type, op, target, value } = issue;
  const lost = views.engine.mirror.issue.get(`lost:${value?.categoryId}`);
  const first = lost ? sendAgain(views, lost) : { intents: [], answered: [] };
  const id = op === "create" ? uuid() : target;
  const whole = { ...(type === "task" && { title }), ...savable(views, value), ...(lost && { categoryId: first.intents[0].id }) };
  const last = views.column(whole.status ?? "todo").at(-1)?.position ?? null;
  return {
    intents: [...first.intents, { type, op, id, value: whole, ...(type === "task" && op !== "patch" && { position: between(last, null) }) }],
    answered: [...first.answered, noIssue(issue)],
  };
}

/** @param {Issue["kind"]} kind @returns {string} what is said where the server says nothing */
export const reasonFor = (kind) => ({
  merged: "You and somebody else changed this. Your words are the newer ones.",
  refused: "Somebody else deleted this.",
  lost: "The server no longer has this.",
})[kind];
