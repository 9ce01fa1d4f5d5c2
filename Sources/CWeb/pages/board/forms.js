// Categories and D-days with their sheets.
import { findCategory } from "./add.js";
import { act } from "./actions.js";
import { heading, picture, pictureField } from "./answers.js";
import { noDraft, uuid } from "../client/kanbase.js";
import { colorName, palette } from "./conflicts.js";
import { $, el, field, icon, lengthOf, limitLength, openDialog, quiet, refill, text } from "./page.js";
import { fullYear } from "./dates.js";
import { isBlank } from "./words.js";

/** @param {App} app @param {HTMLElement} main */
export function showCategories(app, main) {
  const list = el("ul", { class: "rows" });
  const make = el("button", { class: "primary", onclick: () => editCategory(app, null) }, icon("plus"), text.addCategory);
  main.append(heading(text.screens.categories, make), el("section", { class: "panel" }, list));
  const fill = () => {
    const counts = new Map();
    for (const task of app.model.tasks.values()) counts.set(task.categoryId, (counts.get(task.categoryId) ?? 0) + 1);
    const rows = app.model.categoryList.map((category) => el("li", {},
      el("span", { class: "swatch", style: { "--tint": category.color ?? "var(--muted)" } }, category.image ? picture(category.image) : category.emoji ?? ""),
      el("button", { class: "row-open", data: { of: category.id }, onclick: () => editCategory(app, category) }, category.name),
      el("button", { class: "link", onclick: () => app.router.go({ screen: null, category: category.id }) }, text.taskCount(counts.get(category.id) ?? 0))));
    list.replaceChildren(...rows);
    if (rows.length === 0) list.replaceChildren(el("li", {}, quiet(text.noCategories)));
  };
  fill();
  return app.watch((stores) => { if (["category", "task", "outbox"].some((store) => stores.has(store))) refill(list, fill); });
}

/** An input of one emoji. It takes what the server takes: one character, as people count them. */
function emojiInput() {
  const input = el("input", { class: "short", autocomplete: "off" });
  input.addEventListener("input", () => {
    const words = input.value.trim();
    const isOne = !words || [...new Intl.Segmenter().segment(words)].length === 1 && lengthOf(words) <= 32 && !/\p{Cc}/u.test(words) && !isBlank(words);
    input.setCustomValidity(isOne ? "" : text.oneEmoji);
  });
  return input;
}

/** @param {App} app @param {Category | null} category null makes a new one @param {Issue} [issue] an edit that was refused */
function editCategory(app, category, issue) {
  const name = el("input", { required: true, autocomplete: "off" });
  limitLength(name, 50);
  const swatches = [...palette, null].map((value) =>
    el("input", { type: "radio", name: "color", value: value ?? "", "aria-label": value ? colorName(value) : text.noColor }));
  sheet(app, {
    type: "category", before: category, issue, title: category ? text.category : text.addCategory,
    initial: category ?? { name: "", color: palette[app.model.categories.size % palette.length] },
    content: (emoji) => [
      el("div", { class: "pair" }, field(text.name, name), emoji),
      el("div", { class: "swatches", role: "radiogroup", "aria-label": text.color }, ...swatches.map((input) =>
        el("label", { class: "swatch", style: { "--tint": input.value || "var(--line)" } }, input)))],
    values: () => ({ name: name.value.trim(), color: swatches.find((input) => input.checked)?.value || null }),
    fill: (value) => {
      name.value = value.name;
      for (const input of swatches) input.checked = input.value === (value.color ?? "");
    },
    check: (value) => {
      const same = findCategory(app.model, value.name);
      return isBlank(value.name) ? text.nameMissing : same && same.id !== category?.id ? text.problems.name_taken : "";
    },
  });
}

/** @param {App} app @param {DDay | null} dday null makes a new one @param {Issue} [issue] an edit that was refused */
export function editDDay(app, dday, issue) {
  const title = el("input", { required: true, autocomplete: "off" });
  limitLength(title, 100);
  const date = el("input", { type: "date", required: true, max: "9999-12-31" });
  const repeats = el("input", { type: "checkbox" });
  sheet(app, {
    type: "dday", before: dday, issue, title: dday ? text.editDDay : text.addDDay,
    initial: dday ?? { title: "", date: "", repeats: "none" },
    content: (emoji) => [
      field(text.title, title), el("div", { class: "pair" }, field(text.date, date), emoji),
      el("label", { class: "check" }, repeats, el("span", {}, text.yearly))],
    values: () => ({ title: title.value, date: fullYear(date.value), repeats: repeats.checked ? "yearly" : "none" }),
    fill: (value) => {
      title.value = value.title;
      date.value = value.date;
      repeats.checked = value.repeats === "yearly";
    },
    check: (value) => (isBlank(value.title) ? `${text.title}: ${text.problems.blank}` : ""),
  });
}

/**
 * Deletes a category or a D-day, unless the user thinks better of it. The server keeps it in the trash, and which tasks were in it.
 * @param {App} app @param {"category" | "dday"} type @param {any} old @param {Change[]} also
 */
function remove(app, type, { id, revision, ...old }, also) {
  const title = old.name ?? old.title;
  const own = type === "category" ? [...app.model.tasks.values()].filter(({ categoryId }) => categoryId === id) : [];
  if (type === "category" && !confirm(text.deleteCategory(title, own.length))) return false;
  // Of one that is new, the server may have the tasks in another's of this name.
  const strays = revision > 0 ? [] : own;
  act(app, [{ type, id }, ...strays.map((task) => ({ type: /** @type {const} */ ("task"), id: task.id }))], [
    ...strays.map((task) => /** @type {Intent} */ ({ type: "task", op: "patch", id: task.id, value: { categoryId: null } })), { type, op: "delete", id },
  ], { also, title, say: () => text.removed(title) });
  return true;
}

/** @param {App} app @param {string} type @param {string} id @param {Issue} [issue] */
export function openSheet(app, type, id, issue) {
  if (type === "category") editCategory(app, app.model.categories.get(id) ?? null, issue);
  else editDDay(app, app.model.ddays.get(id) ?? null, issue);
}

/**
 * A sheet whose content is a draft from the first letter on, like the editor's.
 * @param {App} app @param {SheetParts} parts
 */
function sheet(app, { type, before, issue, title, initial, content, ...parts }) {
  const known = before?.id ?? issue?.target;
  const key = `${type}:${known ?? "new"}`;
  const id = known ?? uuid();
  const draft = app.engine.mirror.draft.get(key);
  // What others change from now on is a conflict, and shown beside.
  const baseRevision = draft?.revision ?? before?.revision;
  const emoji = emojiInput();
  const image = pictureField();
  const fault = el("p", { class: "fault", role: "alert" });
  const values = () => ({ ...parts.values(), emoji: emoji.value.trim() || null, image: image.id });
  const fill = (/** @type {any} */ value) => {
    parts.fill(value);
    emoji.value = value.emoji ?? "";
    image.show(value.image ?? null);
  };
  initial = { ...initial, ...issue?.value };
  fill(initial);
  /** @type {Record<string, any>} */
  const base = values();
  const changed = () => Object.fromEntries(Object.entries(values()).filter(([name, value]) => value !== base[name]));
  let isOver = false;
  const note = el("p", { class: "note", hidden: !draft }, text.draftRestored, " ",
    el("button", { class: "link", onclick: () => { fill(initial); keepDraft(); } }, text.discard));
  const keepDraft = () => {
    if (isOver) return;
    const fields = changed();
    if (Object.keys(fields).length === 0) note.hidden = true;
    app.engine.keepDraft(key, fields, base, baseRevision);
  };
  if (draft) fill({ ...initial, ...draft.fields });
  const close = () => dialog.close();
  const form = el("form", { method: "dialog" }, el("h2", { id: "sheet-title" }, title), note, ...content(field(text.emoji, emoji)), image.element, fault, el("div", { class: "row end" },
    before && el("button", { class: "danger", onclick: () => { if (remove(app, type, before, [noDraft(key)])) { isOver = true; close(); } } }, text.remove),
    el("span", { class: "space" }), el("button", { onclick: close }, text.close), el("button", { type: "submit", class: "primary" }, text.save)));
  app.engine.typed.set(key, keepDraft);
  image.takeFrom(form);
  image.onChange = keepDraft;
  // Those of a draft are checked as if they were typed.
  for (const input of form.querySelectorAll("input")) input.dispatchEvent(new Event("input"));
  form.addEventListener("input", keepDraft);
  form.addEventListener("change", keepDraft);
  form.addEventListener("submit", (event) => {
    /** @type {Record<string, any>} */
    const value = values();
    fault.textContent = parts.check?.(value) ?? "";
    if (fault.textContent) return event.preventDefault();
    isOver = true;
    const patch = Object.fromEntries(Object.entries(value).filter(([name, member]) => !before || (before[name] ?? null) !== member));
    const gone = [noDraft(key), ...(issue ? [{ store: /** @type {const} */ ("issue"), key: issue.id, value: undefined }] : [])];
    const isEdited = Object.keys(patch).length > 0;
    const name = value.name ?? value.title;
    act(app, [{ type, id }], isEdited ? [{ type, op: before ? "patch" : "create", id, value: patch, baseRevision }] : [], {
      also: gone, title: before?.name ?? before?.title ?? name, say: () => (before ? text.changed : text.added)(name),
    });
  });
  const dialog = el("dialog", { class: "sheet", "aria-labelledby": "sheet-title" }, form);
  const opener = document.activeElement;
  openDialog(dialog);
  dialog.addEventListener("close", () => {
    app.engine.typed.delete(key);
    if (!isOver && Object.keys(changed()).length > 0) {
      app.toast(text.draftKept, { actions: [[text.continueEditing, () => openSheet(app, type, id, issue)]] });
    }
    // The list may have been rendered again.
    if (!opener?.isConnected) ($("dialog button") ?? $(`[data-of="${id}"]`) ?? $("#main")).focus();
  });
}
