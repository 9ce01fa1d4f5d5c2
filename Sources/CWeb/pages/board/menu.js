// Menus: of a card, and of the page. Arrow keys, Home, End, letters, Escape; closed by a click beside them.
import { el } from "./dom.js";
import { columns } from "./model.js";
import { move, moveWithin, remove } from "./actions.js";
import { text } from "./texts.js";

/** @typedef {{label: string, run: () => void, isDanger?: boolean, isDisabled?: boolean, hint?: string} | null} Item  null is a line */

/**
 * @param {HTMLElement} anchor
 * @param {Item[]} items
 */
export function openMenu(anchor, items) {
  document.querySelector(".menu")?.remove();
  const menu = el("div", { class: "menu", role: "menu", "aria-label": anchor.getAttribute("aria-label") ?? anchor.textContent?.trim() ?? "" });
  const close = (/** @type {boolean} */ focus) => {
    menu.remove();
    anchor.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    removeEventListener("resize", away);
    if (focus && anchor.isConnected) anchor.focus();
  };
  const away = () => close(false);
  const outside = (/** @type {Event} */ event) => { if (!menu.contains(/** @type {Node} */ (event.target))) close(false); };
  for (const item of items) {
    if (!item) { menu.append(el("hr", {})); continue; }
    menu.append(el("button", {
      type: "button", role: "menuitem", tabIndex: -1, class: item.isDanger ? "danger" : "", disabled: item.isDisabled,
      onclick: () => { close(true); item.run(); },
    }, item.label, item.hint && el("kbd", {}, item.hint)));
  }
  menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
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
  (anchor.closest("dialog") ?? document.querySelector("main") ?? document.body).append(menu);
  place(menu, anchor);
  anchor.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", outside, true);
  addEventListener("resize", away);
  /** @type {HTMLElement | null} */ (menu.querySelector("button:not(:disabled)"))?.focus({ preventScroll: true });
}

/**
 * Beside its anchor, within the window.
 * @param {HTMLElement} menu
 * @param {HTMLElement} anchor
 */
function place(menu, anchor) {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = menu;
  const left = Math.max(8, Math.min(at.right - offsetWidth, innerWidth - offsetWidth - 8));
  const below = at.bottom + 4;
  const top = below + offsetHeight > innerHeight - 8 ? Math.max(8, at.top - offsetHeight - 4) : below;
  menu.style.setProperty("left", `${left}px`);
  menu.style.setProperty("top", `${top}px`);
}

/** @param {import("./app.js").App} app @param {string} id @param {HTMLElement} anchor */
export function openCardMenu(app, id, anchor) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  const list = app.model.list(task.status);
  const index = list.findIndex((other) => other.id === id);
  const isSorted = app.model.filter.sort !== "position";
  openMenu(anchor, [
    { label: text.edit, hint: "Enter", run: () => app.router.go({ task: id }) },
    { label: text.rename, hint: "F2", run: () => app.rename(id) },
    null,
    ...columns.filter((status) => status !== task.status).map((status) => (
      { label: text.moveTo(text[status]), run: () => void move(app, id, { status, place: "last" }) })),
    ...(isSorted ? [] : [
      { label: text.moveFirst, isDisabled: index === 0, run: () => void move(app, id, { place: "first" }) },
      { label: text.moveUp, hint: "⇧↑", isDisabled: index === 0, run: () => moveWithin(app, id, -1) },
      { label: text.moveDown, hint: "⇧↓", isDisabled: index === list.length - 1, run: () => moveWithin(app, id, 1) },
      { label: text.moveLast, isDisabled: index === list.length - 1, run: () => void move(app, id, { place: "last" }) },
    ]),
    null,
    { label: text.history, run: () => app.router.go({ screen: "history", task: null, of: id }) },
    { label: text.remove, hint: "Del", isDanger: true, run: () => remove(app, id) },
  ]);
}
