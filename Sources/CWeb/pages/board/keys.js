// The keyboard: on a card, and anywhere.
import { $, el } from "./dom.js";
import { columns } from "./model.js";
import { moveBy, moveWithin, remove } from "./actions.js";
import { openAdd } from "./add.js";
import { openCardMenu } from "./menu.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export function setUpKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, textarea, select, [contenteditable], .menu")) return;
    if (document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.shiftKey) {
      event.preventDefault();
      return app.undo.run();
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const card = /** @type {HTMLElement | null} */ (target.closest(".card"));
    if (card?.dataset.id ? onCard(app, event, card, card.dataset.id) : false) return event.preventDefault();
    if (anywhere(app, event)) event.preventDefault();
  });
}

/** @param {App} app @param {KeyboardEvent} event @param {HTMLElement} card @param {string} id */
function onCard(app, event, card, id) {
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const along = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.key === "Delete" || event.key === "Backspace") remove(app, id);
  else if (event.key === "F2") app.rename(id);
  else if (event.key === "m" || event.key === "ContextMenu") openCardMenu(app, id, $(".more", card));
  else if (sideways && event.shiftKey) moveBy(app, id, sideways);
  else if (along && event.shiftKey && app.model.filter.sort === "position") moveWithin(app, id, along);
  else if (sideways || along) focusFrom(app, card, sideways ?? 0, along ?? 0);
  else if (event.key === "Home" || event.key === "End") {
    const task = app.model.tasks.get(id);
    const list = task ? app.model.list(task.status) : [];
    const to = event.key === "Home" ? list[0] : list.at(-1);
    if (to) app.board?.show(to.id);
  } else return false;
  return true;
}

/** @param {App} app @param {HTMLElement} card @param {number} sideways @param {number} along */
function focusFrom(app, card, sideways, along) {
  let next = along < 0 ? card.previousElementSibling : along > 0 ? card.nextElementSibling : null;
  if (sideways) {
    const status = /** @type {any} */ (card.closest(".column"))?.dataset.column;
    const index = [...(card.parentElement?.children ?? [])].indexOf(card);
    for (let place = columns.indexOf(status) + sideways; !next && columns[place]; place += sideways) {
      const list = app.board?.columns.get(columns[place])?.list;
      next = list?.children[index] ?? list?.lastElementChild ?? null;
    }
  }
  if (!next) return;
  const open = $(".open", next);
  open.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {App} app @param {KeyboardEvent} event */
function anywhere(app, event) {
  switch (event.key) {
    case "?": showHelp(); return true;
    case "/": app.focusSearch(); return true;
    case "n": case "+": app.router.go({ screen: null }); openAdd(app); return true;
    case "b": app.router.go({ screen: null }); return true;
    case "t": app.router.go({ screen: "today" }); return true;
    case "s": app.router.go({ screen: "stats" }); return true;
    case "ArrowDown": case "ArrowUp": {
      const first = document.querySelector(".cards .open[tabindex='0']");
      if (!(first instanceof HTMLElement) || document.activeElement !== document.body) return false;
      first.focus();
      return true;
    }
    default: return false;
  }
}

/** The sheet of shortcuts. */
export function showHelp() {
  const rows = [
    [["n"], text.keyAdd], [["/"], text.keySearch], [["Enter"], text.keyEdit], [["F2"], text.keyRename], [["m"], text.keyMenu],
    [["←", "↑", "↓", "→"], text.keyGo], [["⇧", "←", "→"], text.keyMoveColumn], [["⇧", "↑", "↓"], text.keyMoveWithin],
    [["Del"], text.keyDelete], [["Ctrl", "Z"], text.keyUndo], [["Ctrl", "Enter"], text.keySave], [["Esc"], text.keyEscape],
    [["b"], text.keyBoard], [["t"], text.keyToday], [["s"], text.keyStats], [["?"], text.keyHelp],
  ];
  const close = el("button", { class: "primary" }, text.close);
  const dialog = el("dialog", { class: "sheet help", "aria-labelledby": "help-title" },
    el("form", { method: "dialog" },
      el("h2", { id: "help-title" }, text.shortcuts),
      el("dl", {}, ...rows.map(([keys, meaning]) =>
        el("div", {}, el("dt", {}, .../** @type {string[]} */ (keys).map((key) => el("kbd", {}, key))), el("dd", {}, /** @type {string} */ (meaning))))),
      el("div", { class: "row end" }, close)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
