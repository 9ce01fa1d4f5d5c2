// The history of the board or of one task, in words; and the trash, from which tasks can be restored.
import { heading, showAnswer } from "./answers.js";
import { call } from "./api.js";
import { el } from "./dom.js";
import { restore } from "./actions.js";
import { memberName, wordsOf } from "./conflicts.js";
import { describeTime } from "./dates.js";
import { text } from "./texts.js";

/** @param {App} app @param {HTMLElement} main */
export function showHistory(app, main) {
  const { of } = app.router.route;
  const task = of ? app.model.tasks.get(of) : null;
  const place = el("section", { class: "panel" });
  const back = task && el("button", { type: "button", onclick: () => app.router.go({ screen: null, of: null, task: of }) }, text.edit);
  main.append(heading(of ? text.historyOf(task?.title ?? "") : text.screens.history, back ?? null), place);
  const path = of ? `/tasks/${encodeURIComponent(of)}/history?limit=100` : "/history?limit=100";
  return showAnswer(app, place, path, (answer) => {
    if (answer.items.length === 0) return [el("p", { class: "quiet-words" }, text.historyEmpty)];
    const list = el("ol", { class: "rows history" });
    const add = (/** @type {any[]} */ items) => list.append(...items.map((item) => entry(app, item, !of)));
    add(answer.items);
    return [list, moreButton(answer.nextCursor, path, (page) => add(page.items), app)];
  }, ["task"]);
}

/** @param {App} app @param {any} item @param {boolean} isTitled */
function entry(app, item, isTitled) {
  const id = item.taskId;
  const title = item.title ?? text.purged;
  const name = isTitled && (app.model.tasks.has(id)
    ? el("button", { type: "button", class: "row-open", onclick: () => app.router.go({ task: id }) }, title)
    : el("span", { class: "row-open" }, title));
  return el("li", {}, el("div", { class: "row-words" }, name, el("p", {}, sentence(app, item)), ...details(app, item)),
    el("time", { class: "quiet-words", dateTime: item.at }, describeTime(item.at, app.model.zone)));
}

/** @param {App} app @param {any} item */
function sentence(app, item) {
  const status = item.changes.find((/** @type {any} */ change) => change.member === "status");
  if (item.action === "moved" && status) return text.movedFromTo(wordsOf(app, "status", status.from), wordsOf(app, "status", status.to));
  const action = /** @type {keyof typeof text.actions} */ (item.action);
  if (action !== "updated") return text.actions[action] ?? action;
  const members = item.changes.map((/** @type {any} */ change) => memberName(change.member));
  return members.length ? text.changedMembers(members.join(", ")) : text.actions.updated;
}

/** @param {App} app @param {any} item */
function details(app, item) {
  if (item.action === "created") return [];
  return item.changes.filter((/** @type {any} */ change) => !["status", "position", "completedAt"].includes(change.member))
    .map((/** @type {any} */ { member, from, to }) => el("p", { class: "change" },
      el("span", { class: "member" }, `${memberName(member)}: `),
      el("del", {}, wordsOf(app, member, from)), " → ", el("ins", {}, wordsOf(app, member, to))));
}

/** @param {App} app @param {HTMLElement} main */
export function showTrash(app, main) {
  const place = el("section", { class: "panel" });
  main.append(heading(text.screens.trash), el("p", { class: "lead" }, text.trashHint), place);
  return showAnswer(app, place, "/tasks?deleted=true&sort=-updatedAt&limit=100", (answer) => {
    const items = answer.items.filter((/** @type {any} */ task) => !app.model.tasks.has(task.id));
    if (items.length === 0) return [el("p", { class: "quiet-words" }, text.trashEmpty)];
    const list = el("ul", { class: "rows" });
    const add = (/** @type {any[]} */ tasks) => list.append(...tasks.map((task) => row(app, task)));
    add(items);
    return [list, moreButton(answer.nextCursor, "/tasks?deleted=true&sort=-updatedAt&limit=100", (page) => add(page.items), app)];
  }, ["task"]);
}

/** @param {App} app @param {any} task */
function row(app, task) {
  const button = el("button", { type: "button", "aria-label": text.restoreOf(task.title) }, text.restore);
  const item = el("li", {}, el("div", { class: "row-words" }, el("strong", {}, task.title), task.body && el("p", {}, task.body)),
    el("time", { class: "quiet-words", dateTime: task.updatedAt }, describeTime(task.deletedAt ?? task.updatedAt, app.model.zone)), button);
  button.addEventListener("click", () => {
    app.engine.commit([{ store: "meta", key: `deleted:${task.id}`, value: task }]);
    restore(app, task.id);
    // Removed at once, without waiting for the new list.
    const neighbour = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    neighbour?.querySelector("button")?.focus();
    app.toast(text.restored(task.title), { action: text.show, run: () => app.reveal(task.id) });
  });
  return item;
}

/**
 * A button that replaces itself with the next page of a list.
 * @param {string | null} cursor
 * @param {string} path
 * @param {(page: any) => void} take
 * @param {App} app
 * @returns {HTMLElement | null}
 */
function moreButton(cursor, path, take, app) {
  if (!cursor) return null;
  const button = el("button", { type: "button", class: "wide" }, text.showMore);
  button.addEventListener("click", () => app.attempt(async () => {
    button.disabled = true;
    try {
      const page = await call("GET", `${path}&cursor=${encodeURIComponent(/** @type {string} */ (cursor))}`);
      take(page);
      cursor = page.nextCursor;
      if (!cursor) button.remove();
    } finally {
      button.disabled = false;
    }
  }));
  return button;
}
