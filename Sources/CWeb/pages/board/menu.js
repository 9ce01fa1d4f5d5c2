// The actions of a card, by menu and by key, and the menu of the page.
import { $, el, openDialog, text } from "./page.js";
import { columns } from "./model.js";
import { duplicate, move, moveBy, moveWithin, remove, skip } from "./actions.js";
import { openAdd } from "./add.js";
import { followingDue } from "../client/kanbase.js";

/** Closes the menu that was opened last. */
let closeOpen = (/** @type {boolean} */ _focus) => {};

/**
 * Opens a menu; its button closes it, too.
 * @param {HTMLElement} anchor @param {MenuItem[]} items
 */
export function openMenu(anchor, items) {
  const isOpen = $(".menu") && anchor.getAttribute("aria-expanded") === "true";
  // The focus of another button would scroll away from this one.
  closeOpen(isOpen);
  if (isOpen) return;
  const menu = el("div", { class: "menu", role: "menu", "aria-label": anchor.getAttribute("aria-label") ?? anchor.textContent?.trim() ?? "" });
  const close = closeOpen = (/** @type {boolean} */ focus) => {
    menu.remove();
    anchor.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    removeEventListener("resize", away);
    if (focus && anchor.isConnected) anchor.focus();
  };
  const away = () => close(false);
  const outside = (/** @type {any} */ { target }) => { if (!menu.contains(target) && !anchor.contains(target)) close(false); };
  for (const item of items) {
    if (!item) { menu.append(el("hr", {})); continue; }
    menu.append(el("button", {
      role: "menuitem", tabIndex: -1, class: item.isDanger ? "danger" : "", disabled: item.isDisabled,
      onclick: () => { close(true); item.run(); },
    }, item.label, item.hint && el("kbd", {}, item.hint)));
  }
  menu.addEventListener("keydown", (event) => {
    const buttons = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("button:not(:disabled)")]);
    const index = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") { event.preventDefault(); return close(true); }
    if (to !== undefined) { event.preventDefault(); return buttons[(to + buttons.length) % buttons.length].focus(); }
    if (event.key.length === 1) {
      const letter = event.key.toLowerCase();
      const rest = [...buttons.slice(index + 1), ...buttons.slice(0, index + 1)];
      rest.find((button) => button.textContent?.toLowerCase().startsWith(letter))?.focus();
    }
  });
  (anchor.closest("dialog") ?? $("main") ?? document.body).append(menu);
  place(menu, anchor);
  anchor.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", outside, true);
  addEventListener("resize", away);
  $("button:not(:disabled)", menu)?.focus({ preventScroll: true });
}

/** @param {HTMLElement} menu @param {HTMLElement} anchor */
function place(menu, anchor) {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = menu;
  const left = Math.max(8, Math.min(at.right - offsetWidth, innerWidth - offsetWidth - 8));
  const below = at.bottom + 4;
  const top = below + offsetHeight > innerHeight - 8 ? Math.max(8, at.top - offsetHeight - 4) : below;
  menu.style.setProperty("left", `${left}px`);
  menu.style.setProperty("top", `${top}px`);
}

/** @param {App} app @param {string} id @param {HTMLElement} anchor */
export function openCardMenu(app, id, anchor) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  const list = app.model.list(task.status);
  const index = list.findIndex((other) => other.id === id);
  const isSorted = app.model.filter.sort !== "position";
  openMenu(anchor, [
    { label: text.edit, hint: "Enter", run: () => app.router.go({ task: id }) },
    { label: text.rename, hint: "F2", run: () => app.rename(id) },
    { label: text.pick, hint: "x", run: () => app.picks.toggle(id) },
    { label: text.duplicate, run: () => duplicate(app, id) },
    ...(navigator.clipboard ? [{ label: text.copyLink, run: () => copyText(app, linkTo(app, id)) }] : []),
    { label: text.openTab, run: () => { open(linkTo(app, id), "_blank", "noopener"); } },
    null,
    ...columns.filter((status) => status !== task.status).map((status) => (
      { label: text.moveTo(text[status]), run: () => move(app, id, { status, place: "last" }) })),
    ...(isSorted ? [] : [
      { label: text.moveFirst, isDisabled: index === 0, run: () => move(app, id, { place: "first" }) },
      { label: text.moveUp, hint: "⇧↑", isDisabled: index === 0, run: () => moveWithin(app, id, -1) },
      { label: text.moveDown, hint: "⇧↓", isDisabled: index === list.length - 1, run: () => moveWithin(app, id, 1) },
      { label: text.moveLast, isDisabled: index === list.length - 1, run: () => move(app, id, { place: "last" }) },
    ]),
    null,
    ...(task.recurrence ? [{ label: text.skipOnce, isDisabled: !followingDue(task, new Date().toISOString(), app.model.zone), run: () => skip(app, id) }] : []),
    { label: text.screens.history, run: () => app.router.go({ screen: "history", task: null, of: id }) },
    { label: text.remove, hint: "Del", isDanger: true, run: () => remove(app, id) },
  ]);
}

/** @param {App} app @param {string} id without the filter and the screen that the page shows */
const linkTo = (app, id) => new URL(app.router.address({ screen: null, of: null, category: null, due: null, q: null, sort: null, task: id }), location.href).href;

/** @param {App} app @param {string} words shown where the browser refuses the clipboard */
export async function copyText(app, words) {
  const isCopied = await navigator.clipboard.writeText(words).then(() => true, () => false);
  app.toast(isCopied ? text.copied : `${text.notCopied} ${words}`, { isFault: !isCopied });
}

/** @param {App} app */
export function setUpKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, textarea, select, [contenteditable], .menu")) return;
    if ($("dialog[open]")) return;
    const key = latin(event);
    const isRedo = key.toLowerCase() === "y" || event.shiftKey;
    if ((event.ctrlKey || event.metaKey) && ["y", "z"].includes(key.toLowerCase())) {
      event.preventDefault();
      return app.undo.run(isRedo);
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    // WCAG 2.1.4: a word that is spoken to the computer must not press them.
    if (key.length === 1 && app.model.settings.custom?.shortcuts === false) return;
    const card = /** @type {HTMLElement | null} */ (target.closest(".card"));
    if ((card?.dataset.id && onCard(app, event, key, card, card.dataset.id)) || anywhere(app, key)) event.preventDefault();
  });
}

/**
 * The key; while Hangul, kana or another script is on, that of a Latin keyboard.
 * @param {KeyboardEvent} event
 */
function latin({ key, code, shiftKey }) {
  // Caps Lock makes no other key of it.
  if (/^[ -~]/.test(key)) return key.length === 1 && !shiftKey ? key.toLowerCase() : key;
  if (code === "Slash") return shiftKey ? "?" : "/";
  return code.startsWith("Key") ? code.slice(3).toLowerCase() : key;
}

/** @param {App} app @param {KeyboardEvent} event @param {string} key @param {HTMLElement} card @param {string} id */
function onCard(app, event, key, card, id) {
  const status = /** @type {any} */ (card.closest(".column"))?.dataset.column;
  const list = app.model.list(status);
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const along = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (key === "Delete" || key === "Backspace") {
    // Held down, it would go on.
    if (event.repeat) return true;
    if (app.picks.ids.has(id)) app.picks.remove();
    else remove(app, id);
  } else if (key === "x") app.picks.toggle(id);
  else if (key === "F2") app.rename(id);
  else if (key === "m" || key === "ContextMenu") openCardMenu(app, id, $(".more", card));
  else if (sideways && event.shiftKey) {
    const to = columns[columns.indexOf(status) + sideways];
    if (!app.picks.ids.has(id)) moveBy(app, id, sideways);
    else if (to) app.picks.move(to);
  }
  else if (along && event.shiftKey) moveWithin(app, id, along);
  else if (sideways || along) focusFrom(app, card, status, sideways ?? 0, along ? list[list.findIndex((task) => task.id === id) + along] : undefined);
  else if (key === "Home" || key === "End") {
    const to = key === "Home" ? list[0] : list.at(-1);
    if (to) app.board?.show(to.id);
  } else return false;
  return true;
}

/** @param {App} app @param {HTMLElement} card @param {Status} status @param {number} sideways @param {Task} [along] whose card may not be made yet */
function focusFrom(app, card, status, sideways, along) {
  let next = along && app.board?.cardOf(along.id);
  if (sideways) {
    const index = [...(card.parentElement?.children ?? [])].indexOf(card);
    for (let place = columns.indexOf(status) + sideways; !next && columns[place]; place += sideways) {
      const list = app.board?.columns.get(columns[place])?.list;
      next = /** @type {any} */ (list?.children[index] ?? list?.lastElementChild);
    }
  }
  if (!next) return;
  const open = $(".open", next);
  open.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {App} app @param {string} key */
function anywhere(app, key) {
  switch (key) {
    case "Escape": if (app.picks.ids.size === 0) return false; app.picks.clear(); return true;
    case "?": showHelp(); return true;
    case "/": app.focusSearch(); return true;
    case "n": case "+": app.router.go({ screen: null }); openAdd(app); return true;
    case "b": case "t": case "s": app.router.go({ screen: { b: null, t: "today", s: "stats" }[key] }); return true;
    case "ArrowDown": case "ArrowUp": {
      const first = $(".cards .open[tabindex='0']");
      if (!first || document.activeElement !== document.body) return false;
      first.focus();
      return true;
    }
    default: return false;
  }
}

export function showHelp() {
  const rows = [
    [["n"], text.keyAdd], [["/"], text.search], [["Enter"], text.keyEdit], [["F2"], text.keyRename], [["m"], text.keyMenu], [["x"], text.keyPick],
    [["←", "↑", "↓", "→"], text.keyGo], [["⇧", "←", "→"], text.keyMoveColumn], [["⇧", "↑", "↓"], text.keyMoveWithin],
    [["Del"], text.keyDelete], [["Ctrl", "Z"], text.undo], [["⇧", "Ctrl", "Z"], text.redo], [["Ctrl", "Enter"], text.keySave], [["Esc"], text.close],
    [["b"], text.screens.board], [["t"], text.screens.today], [["s"], text.screens.stats], [["?"], text.keyHelp],
  ];
  openDialog(el("dialog", { class: "sheet help", "aria-labelledby": "help-title" },
    el("form", { method: "dialog" },
      el("h2", { id: "help-title" }, text.shortcuts),
      el("dl", {}, ...rows.map(([keys, meaning]) =>
        el("div", {}, el("dt", {}, .../** @type {string[]} */ (keys).map((key) => el("kbd", {}, key))), el("dd", {}, /** @type {string} */ (meaning))))),
      el("div", { class: "row end" }, el("button", { type: "submit", class: "primary" }, text.close)))));
}
