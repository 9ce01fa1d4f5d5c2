// The bar above the board: categories, due dates and the order; the address keeps them.
import { el } from "./dom.js";
import { text } from "./texts.js";

/** @param {import("./app.js").App} app */
export function makeFilters(app) {
  const bar = el("div", { class: "filters", role: "group", "aria-label": text.filter });
  const chips = el("div", { class: "chips" });
  const select = (/** @type {string} */ label, /** @type {"due" | "sort"} */ name, /** @type {[string, string][]} */ options) => {
    const control = el("select", { "aria-label": label, data: { name } }, ...options.map(([value, words]) => el("option", { value }, words)));
    control.addEventListener("change", () => app.router.go({ [name]: control.value || null }));
    return control;
  };
  const due = select(text.dueFilter, "due", [["", text.anyDue], ["overdue", text.overdue], ["today", text.dueToday], ["upcoming", text.upcoming], ["none", text.noDue]]);
  const sort = select(text.order, "sort", [["", text.byHand], ["dueDate", text.byDue], ["-createdAt", text.byCreated], ["-updatedAt", text.byUpdated], ["title", text.byTitle]]);
  bar.append(chips, el("div", { class: "selects" }, due, sort));
  let shown = "";

  const toggle = (/** @type {string} */ id) => {
    const chosen = new Set(app.model.filter.categories);
    if (!chosen.delete(id)) chosen.add(id);
    app.router.go({ category: [...chosen].join(",") || null });
  };
  const render = () => {
    const { filter } = app.model;
    due.value = filter.due;
    sort.value = filter.sort === "position" ? "" : filter.sort;
    const list = app.model.categoryList;
    const key = JSON.stringify([list.map(({ id, name, color, emoji }) => [id, name, color, emoji]), [...filter.categories]]);
    if (key === shown) return;
    shown = key;
    const focused = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.category;
    const chip = (/** @type {string} */ id, /** @type {string} */ words, /** @type {string | null} */ color) =>
      el("button", { type: "button", class: "chip", data: { category: id }, "aria-pressed": filter.categories.has(id), style: { "--tint": color ?? "var(--muted)" }, onclick: () => toggle(id) }, words);
    chips.replaceChildren(...list.map(({ id, name, color, emoji }) => chip(id, emoji ? `${emoji} ${name}` : name, color)),
      ...(list.length ? [chip("none", text.none, null)] : []));
    if (focused) /** @type {HTMLElement | null} */ (chips.querySelector(`[data-category="${focused}"]`))?.focus();
  };
  return { element: bar, render };
}
