// The trash: what was deleted in the last weeks, and the way back.
import { heading, showAnswer } from "./answers.js";
import { call } from "./api.js";
import { el } from "./dom.js";
import { restore } from "./actions.js";
import { describeTime } from "./dates.js";
import { text } from "./texts.js";

/** @param {import("./app.js").App} app @param {HTMLElement} main */
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

/** @param {import("./app.js").App} app @param {any} task */
function row(app, task) {
  const button = el("button", { type: "button", "aria-label": text.restoreOf(task.title) }, text.restore);
  const item = el("li", {}, el("div", { class: "row-words" }, el("strong", {}, task.title), task.body && el("p", {}, task.body)),
    el("time", { class: "quiet-words", dateTime: task.updatedAt }, describeTime(task.deletedAt ?? task.updatedAt, app.model.zone)), button);
  button.addEventListener("click", () => {
    app.engine.commit([{ store: "meta", key: `deleted:${task.id}`, value: task }]);
    restore(app, task.id);
    // It leaves at once, whenever the server's list comes.
    const neighbour = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    neighbour?.querySelector("button")?.focus();
    app.toast(text.restored(task.title), { action: text.show, run: () => app.reveal(task.id) });
  });
  return item;
}

/**
 * A button for the next page of a list, which takes its own place.
 * @param {string | null} cursor
 * @param {string} path
 * @param {(page: any) => void} take
 * @param {import("./app.js").App} app
 * @returns {HTMLElement | null}
 */
export function moreButton(cursor, path, take, app) {
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
