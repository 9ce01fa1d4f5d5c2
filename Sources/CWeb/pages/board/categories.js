// Categories: make, rename, color, emoji, delete.
import { heading } from "./answers.js";
import { addCategory } from "./actions.js";
import { findCategory } from "./add.js";
import { el, field, icon, limitLength } from "./dom.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

const palette = ["#c2410c", "#b45309", "#4d7c0f", "#0f766e", "#0369a1", "#4338ca", "#a21caf", "#be123c", "#57534e"];

/** @param {App} app @param {HTMLElement} main */
export function showCategories(app, main) {
  const list = el("ul", { class: "rows" });
  const panel = el("section", { class: "panel" }, list);
  const make = el("button", { type: "button", class: "primary", onclick: () => edit(app, null) }, icon("plus"), text.addCategory);
  main.append(heading(text.screens.categories, make), panel);
  const fill = () => {
    const counts = new Map();
    for (const task of app.model.tasks.values()) counts.set(task.categoryId, (counts.get(task.categoryId) ?? 0) + 1);
    const rows = app.model.categoryList.map((category) => el("li", {},
      el("span", { class: "swatch", style: { "--tint": category.color ?? "var(--muted)" } }, category.emoji ?? ""),
      el("button", { type: "button", class: "row-open", onclick: () => edit(app, category) }, category.name),
      el("button", { type: "button", class: "link", onclick: () => app.router.go({ screen: null, category: category.id }) }, text.taskCount(counts.get(category.id) ?? 0))));
    list.replaceChildren(...rows);
    if (rows.length === 0) list.replaceChildren(el("li", {}, el("p", { class: "quiet-words" }, text.noCategories)));
  };
  fill();
  return app.watch((stores) => { if (["category", "task", "outbox"].some((store) => stores.has(store))) fill(); });
}

/** @param {App} app @param {import("./types.js").Category | null} category */
function edit(app, category) {
  const name = el("input", { value: category?.name ?? "", required: true, autocomplete: "off" });
  limitLength(name, 50, (count) => text.tooLong(count, 50));
  const emoji = el("input", { value: category?.emoji ?? "", class: "short", autocomplete: "off" });
  let color = category ? category.color : palette[app.model.categories.size % palette.length];
  const swatches = el("div", { class: "swatches", role: "radiogroup", "aria-label": text.color }, ...[...palette, null].map((value) => {
    const input = el("input", { type: "radio", name: "color", checked: value === color, "aria-label": value ?? text.noColor });
    input.addEventListener("change", () => { color = value; });
    return el("label", { class: "swatch", style: { "--tint": value ?? "var(--line)" } }, input);
  }));
  const fault = el("p", { class: "fault", role: "alert" });
  const form = el("form", { method: "dialog" },
    el("h2", { id: "category-title" }, category ? text.editCategory : text.addCategory),
    el("div", { class: "pair" }, field(text.name, name), field(text.emoji, emoji)), swatches, fault,
    el("div", { class: "row end" },
      category && el("button", { type: "button", class: "danger", onclick: () => remove(app, category, dialog) }, text.remove),
      el("span", { class: "space" }),
      el("button", { type: "button", onclick: () => dialog.close() }, text.close), el("button", { class: "primary" }, text.save)));
  const dialog = el("dialog", { class: "sheet", "aria-labelledby": "category-title" }, form);
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    const value = { name: name.value.trim(), color, emoji: emoji.value.trim() || null };
    const same = findCategory(app.model, value.name);
    if (!value.name || (same && same.id !== category?.id)) {
      event.preventDefault();
      fault.textContent = value.name ? text.nameTaken : text.nameMissing;
      return;
    }
    if (!category) return void app.engine.edit([addCategory(value)]);
    const changed = Object.fromEntries(Object.entries(value).filter(([member, now]) => /** @type {any} */ (category)[member] !== now));
    if (Object.keys(changed).length) app.engine.edit([{ type: "category", op: "patch", id: category.id, value: changed }]);
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {App} app @param {import("./types.js").Category} category @param {HTMLDialogElement} dialog */
function remove(app, category, dialog) {
  const count = [...app.model.tasks.values()].filter((task) => task.categoryId === category.id).length;
  if (!confirm(text.deleteCategory(category.name, count))) return;
  app.engine.edit([{ type: "category", op: "delete", id: category.id }]);
  dialog.close();
}
