// The categories, with the number of their tasks.
import { heading } from "./answers.js";
import { el, icon } from "./dom.js";
import { editCategory } from "./forms.js";
import { picture } from "./images.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app @param {HTMLElement} main */
export function showCategories(app, main) {
  const list = el("ul", { class: "rows" });
  const panel = el("section", { class: "panel" }, list);
  const make = el("button", { type: "button", class: "primary", onclick: () => editCategory(app, null) }, icon("plus"), text.addCategory);
  main.append(heading(text.screens.categories, make), panel);
  const fill = () => {
    const counts = new Map();
    for (const task of app.model.tasks.values()) counts.set(task.categoryId, (counts.get(task.categoryId) ?? 0) + 1);
    const rows = app.model.categoryList.map((category) => el("li", {},
      el("span", { class: "swatch", style: { "--tint": category.color ?? "var(--muted)" } }, category.image ? picture(category.image) : category.emoji ?? ""),
      el("button", { type: "button", class: "row-open", onclick: () => editCategory(app, category) }, category.name),
      el("button", { type: "button", class: "link", onclick: () => app.router.go({ screen: null, category: category.id }) }, text.taskCount(counts.get(category.id) ?? 0))));
    list.replaceChildren(...rows);
    if (rows.length === 0) list.replaceChildren(el("li", {}, el("p", { class: "quiet-words" }, text.noCategories)));
  };
  fill();
  return app.watch((stores) => { if (["category", "task", "outbox"].some((store) => stores.has(store))) fill(); });
}
