// Edits that the server merged or refused, shown until the user decides: mine and theirs, side by side.
import { keepMine, noIssue, takeTheirs } from "../client/kanbase.js";
import { refusal } from "./api.js";
import { picture } from "./answers.js";
import { $, el, language, openDialog, text } from "./page.js";
import { describeDay, describeDue } from "./dates.js";
import { reminderWords } from "./reminders.js";
import { repeatWords } from "./repeat.js";

/**
 * Drafts of deleted tasks.
 * @param {App} app
 */
function orphans(app) {
  return [...app.engine.mirror.draft].filter(([key]) => key.startsWith("task:") && !app.model.tasks.has(key.slice(5)));
}

/** @param {App} app */
export function openIssues(app) {
  const isLoaded = app.engine.mirror.meta.has("cursor");
  return app.engine.mirror.issue.size + (isLoaded ? orphans(app).length : 0);
}

/** @param {App} app */
export function showConflicts(app) {
  const list = el("div", { class: "issues" });
  const dialog = el("dialog", { class: "sheet wide", "aria-labelledby": "issues-title" },
    el("h2", { id: "issues-title" }, text.toAnswer), el("p", {}, text.toAnswerHint), list,
    el("form", { method: "dialog", class: "row end" }, el("button", { type: "submit" }, text.close)));
  const fill = () => {
    const issues = [...app.engine.mirror.issue.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
    const index = [...list.children].findIndex((box) => box.contains(document.activeElement));
    list.replaceChildren(...issues.map((issue) => issueBox(app, issue)), ...orphans(app).map(([key, draft]) => orphanBox(app, key, draft)));
    if (!list.firstChild) dialog.close();
    else if (index >= 0) $("h3", list.children[index] ?? list.lastElementChild).focus();
  };
  const stop = app.watch((stores) => { if (stores.has("issue") || stores.has("draft")) fill(); });
  dialog.addEventListener("close", stop);
  openDialog(dialog);
  fill();
}

/** @param {App} app @param {Issue} issue */
function issueBox(app, issue) {
  const settle = (/** @type {Settling} */ { intents, answered } = { intents: [], answered: [noIssue(issue)] }) => app.engine.edit(intents, answered);
  const box = el("section", { class: "issue" }, el("h3", { tabIndex: -1 }, issue.title || text[issue.type]));
  if (issue.kind === "merged") {
    box.append(el("p", {}, text.bothChanged));
    for (const conflict of issue.conflicts) box.append(sideBySide(app, conflict));
    const joined = both(issue);
    box.append(el("div", { class: "row end" },
      el("button", { onclick: () => settle(takeTheirs(app.model, issue)) }, text.takeTheirs),
      joined && el("button", { onclick: () => settle(takeTheirs(app.model, issue, joined)) }, text.keepBoth),
      el("button", { class: "primary", onclick: () => settle() }, text.keepMine)));
    return box;
  }
  const isLost = issue.kind === "lost";
  box.append(el("p", { class: "fault" }, isLost ? text.wasLost : issue.code === "deleted" ? text.wasDeleted : text.wasRefused, issue.problem && ` ${refusal(issue.problem)}`));
  box.append(valueTable(app, issue.value ?? {}));
  box.append(el("div", { class: "row end" },
    el("button", { onclick: () => settle() }, text.discard),
    issue.kind === "refused" && issue.code !== "deleted" && issue.op !== "restore" && ["category", "dday"].includes(issue.type) && el("button", { onclick: () => editAgain(app, issue) }, text.edit),
    el("button", { class: "primary", onclick: () => settle(keepMine(app.model, issue, text.task)) }, isLost ? text.sendAgain : issue.code === "deleted" ? text.restoreAndSave : text.tryAgain)));
  return box;
}

/** @param {App} app @param {Issue} issue */
async function editAgain(app, issue) {
  const { openSheet } = await import("./screens.js");
  openSheet(app, issue.type, issue.target, issue);
}

/**
 * Notes can hold both texts; null for other members.
 * @param {Issue} issue
 */
function both(issue) {
  const body = issue.conflicts.find(({ member }) => member === "body");
  if (!body || issue.conflicts.length > 1 || !body.theirs || !body.yours) return null;
  const joined = `${body.yours}\n\n${body.theirs}`;
  return [...joined].length <= 1000 ? joined : null;
}

/** @param {App} app @param {Conflict} conflict */
function sideBySide(app, { member, yours, theirs }) {
  const side = (/** @type {string} */ label, /** @type {any} */ value) =>
    el("div", {}, el("h4", {}, label), el("p", { class: "words" }, shownOf(app, member, value)));
  return el("div", { class: "sides", role: "group", "aria-label": memberName(member) },
    el("h4", { class: "member" }, memberName(member)), side(text.mine, yours), side(text.theirs, theirs));
}

/** @param {string} member */
export function memberName(member) {
  return /** @type {any} */ (text.members)[member] ?? /** @type {any} */ (text)[member] ?? member;
}

/** @param {App} app @param {string} member @param {any} value @returns {string} */
export function wordsOf(app, member, value) {
  // None of its own is the default.
  if (member === "reminders") return reminderWords(value ?? null, app.model.zone);
  if (value === null || value === undefined || value === "") return text.nothing;
  if (member === "status") return text[/** @type {Status} */ (value)] ?? value;
  if (member === "categoryId") return app.model.categories.get(value)?.name ?? text.deletedCategory;
  if (member === "dueDate") return describeDue(value, app.model.zone).label;
  if (member === "recurrence") return repeatWords(value, app.model.zone);
  if (member === "date") return describeDay(value);
  if (member === "repeats") return value === "yearly" ? text.yearly : text.nothing;
  if (member === "locale") return new Intl.DisplayNames(language, { type: "language" }).of(value) ?? value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** @param {App} app @param {string} member @param {any} value */
function shownOf(app, member, value) {
  if (value && member === "color") return el("span", {}, el("span", { class: "swatch", style: { "--tint": value } }), colorName(value));
  if (value && member === "image") return el("span", {}, picture(value), memberName(member));
  return wordsOf(app, member, value);
}

export const palette = ["#c2410c", "#b45309", "#4d7c0f", "#0f766e", "#0369a1", "#4338ca", "#a21caf", "#be123c", "#57534e"];

/** @param {string} color */
export const colorName = (color) => text.colors[palette.indexOf(color)] ?? color;

/** @param {App} app @param {Record<string, any>} value */
function valueTable(app, value) {
  const hidden = new Set(["before", "after", "place"]);
  const members = Object.entries(value).filter(([member]) => !hidden.has(member));
  return el("dl", { class: "values" }, ...members.map(([member, content]) =>
    el("div", {}, el("dt", {}, memberName(member)), el("dd", { class: "words" }, shownOf(app, member, content)))));
}

/** @param {App} app @param {string} key @param {Draft} draft */
function orphanBox(app, key, draft) {
  const { title, body } = /** @type {Record<string, any>} */ ({ ...draft.base, ...draft.fields });
  return el("section", { class: "issue" }, el("h3", { tabIndex: -1 }, title), el("p", {}, text.draftOfDeleted), valueTable(app, { title, body }),
    el("div", { class: "row end" },
      el("button", { onclick: () => app.engine.keepDraft(key, {}) }, text.discard),
      el("button", { class: "primary", onclick: () => app.router.go({ task: key.slice(5) }) }, text.continueEditing)));
}
