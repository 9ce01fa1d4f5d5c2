// The screen of categories, the sheets of categories and D-days, and the field of a picture.
import { findCategory } from "./add.js";
import { heading } from "./answers.js";
import { call, Problem, uuid } from "./api.js";
import { $, el, field, icon, limitLength, refill } from "./dom.js";
import { keep, picture } from "./images.js";
import { faultOf } from "./login.js";
import { noDraft } from "./sync.js";
import { text } from "./texts.js";

const palette = ["#c2410c", "#b45309", "#4d7c0f", "#0f766e", "#0369a1", "#4338ca", "#a21caf", "#be123c", "#57534e"];

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
      el("button", { type: "button", class: "row-open", data: { of: category.id }, onclick: () => editCategory(app, category) }, category.name),
      el("button", { type: "button", class: "link", onclick: () => app.router.go({ screen: null, category: category.id }) }, text.taskCount(counts.get(category.id) ?? 0))));
    list.replaceChildren(...rows);
    if (rows.length === 0) list.replaceChildren(el("li", {}, el("p", { class: "quiet-words" }, text.noCategories)));
  };
  fill();
  return app.watch((stores) => { if (["category", "task", "outbox"].some((store) => stores.has(store))) refill(list, fill); });
}

/** @param {App} app @param {Category | null} category null makes a new one */
export function editCategory(app, category) {
  const name = el("input", { required: true, autocomplete: "off" });
  limitLength(name, 50);
  const emoji = el("input", { class: "short", autocomplete: "off" });
  const swatches = [...palette, null].map((value) =>
    el("input", { type: "radio", name: "color", value: value ?? "", "aria-label": value ?? text.noColor }));
  const image = pictureField();
  const fault = el("p", { class: "fault", role: "alert" });
  sheet(app, {
    type: "category", before: category, title: category ? text.editCategory : text.addCategory,
    initial: category ?? { name: "", color: palette[app.model.categories.size % palette.length], emoji: null, image: null },
    content: [
      el("div", { class: "pair" }, field(text.name, name), field(text.emoji, emoji)),
      el("div", { class: "swatches", role: "radiogroup", "aria-label": text.color }, ...swatches.map((input) =>
        el("label", { class: "swatch", style: { "--tint": input.value || "var(--line)" } }, input))),
      image.element, fault],
    picture: image,
    values: () => ({
      name: name.value.trim(), color: swatches.find((input) => input.checked)?.value || null, emoji: emoji.value.trim() || null, image: image.id }),
    fill: (value) => {
      name.value = value.name;
      emoji.value = value.emoji ?? "";
      for (const input of swatches) input.checked = input.value === (value.color ?? "");
      image.show(value.image ?? null);
    },
    check: (value) => {
      const same = findCategory(app.model, value.name);
      fault.textContent = !value.name ? text.nameMissing : same && same.id !== category?.id ? text.nameTaken : "";
      return fault.textContent === "";
    },
    remove: category && ((gone) => {
      const count = [...app.model.tasks.values()].filter((task) => task.categoryId === category.id).length;
      if (!confirm(text.deleteCategory(category.name, count))) return false;
      app.engine.edit([{ type: "category", op: "delete", id: category.id }], [gone]);
      return true;
    }),
  });
}

/** @param {App} app @param {DDay | null} dday null makes a new one */
export function editDDay(app, dday) {
  const title = el("input", { required: true, autocomplete: "off" });
  limitLength(title, 100);
  const date = el("input", { type: "date", required: true, max: "9999-12-31" });
  const repeats = el("input", { type: "checkbox" });
  const emoji = el("input", { class: "short", autocomplete: "off" });
  const image = pictureField();
  sheet(app, {
    type: "dday", before: dday, title: dday ? text.editDDay : text.addDDay,
    initial: dday ?? { title: "", date: "", repeats: "none", emoji: null, image: null },
    content: [
      field(text.title, title), el("div", { class: "pair" }, field(text.date, date), field(text.emoji, emoji)),
      el("label", { class: "check" }, repeats, el("span", {}, text.yearly)), image.element],
    picture: image,
    values: () => ({
      title: title.value, date: date.value, repeats: repeats.checked ? "yearly" : "none", emoji: emoji.value.trim() || null, image: image.id }),
    fill: (value) => {
      title.value = value.title;
      date.value = value.date;
      repeats.checked = value.repeats === "yearly";
      emoji.value = value.emoji ?? "";
      image.show(value.image ?? null);
    },
    remove: dday && ((gone) => {
      app.engine.edit([{ type: "dday", op: "delete", id: dday.id }], [gone]);
      const { id, revision, ...value } = dday;
      const members = ["title", "date", "repeats", "color", "emoji", "image"];
      // An id is never used again.
      const step = {
        label: dday.title,
        run: () => {
          app.engine.edit([{
            type: "dday", op: "create", id: uuid(), value: Object.fromEntries(Object.entries(value).filter(([name]) => members.includes(name))) }]);
        },
      };
      app.undo.push(step);
      app.toast(text.removed(dday.title), { action: text.undo, run: () => app.undo.run(step) });
      return true;
    }),
  });
}

/**
 * A sheet whose content is a draft from the first letter on, like the editor's.
 * @param {App} app
 * @param {SheetParts} parts
 */
function sheet(app, { type, before, title, initial, content, picture: image, values, fill, check, remove }) {
  const key = `${type}:${before?.id ?? "new"}`;
  const id = before?.id ?? uuid();
  const draft = app.engine.mirror.draft.get(key);
  // What others change from now on is a conflict, and shown beside.
  const baseRevision = draft?.revision ?? before?.revision;
  fill(initial);
  const base = values();
  const changed = () => Object.fromEntries(Object.entries(values()).filter(([name, value]) => value !== base[name]));
  let isOver = false;
  const note = el("p", { class: "note", hidden: !draft }, text.draftRestored, " ",
    el("button", { type: "button", class: "link", onclick: () => { fill(initial); keepDraft(); } }, text.discard));
  const keepDraft = () => {
    if (isOver) return;
    const fields = changed();
    if (Object.keys(fields).length === 0) note.hidden = true;
    app.engine.keepDraft(key, fields, base, baseRevision);
  };
  if (draft) fill({ ...initial, ...draft.fields });
  const close = () => dialog.close();
  const form = el("form", { method: "dialog" }, el("h2", { id: "sheet-title" }, title), note, ...content, el("div", { class: "row end" },
    remove && el("button", { type: "button", class: "danger", onclick: () => { if (remove(noDraft(key))) { isOver = true; close(); } } }, text.remove),
    el("span", { class: "space" }), el("button", { type: "button", onclick: close }, text.close), el("button", { class: "primary" }, text.save)));
  app.engine.typed.set(key, keepDraft);
  image.takeFrom(form);
  image.onChange = keepDraft;
  // Those of a draft are checked as if they were typed.
  for (const input of form.querySelectorAll("input")) input.dispatchEvent(new Event("input"));
  form.addEventListener("input", keepDraft);
  form.addEventListener("change", keepDraft);
  form.addEventListener("submit", (event) => {
    const value = values();
    if (check && !check(value)) return event.preventDefault();
    isOver = true;
    const patch = Object.fromEntries(Object.entries(value).filter(([name, member]) => !before || (before[name] ?? null) !== member));
    if (Object.keys(patch).length === 0) return app.engine.keepDraft(key, {});
    app.engine.edit([{ type, op: before ? "patch" : "create", id, value: patch, baseRevision }], [noDraft(key)]);
  });
  const dialog = el("dialog", { class: "sheet", "aria-labelledby": "sheet-title" }, form);
  const opener = document.activeElement;
  dialog.addEventListener("close", () => {
    app.engine.typed.delete(key);
    dialog.remove();
    if (!isOver && Object.keys(changed()).length > 0) {
      const again = () => (type === "category"
        ? editCategory(app, app.model.categories.get(before?.id) ?? null) : editDDay(app, app.model.ddays.get(before?.id) ?? null));
      app.toast(text.draftKept, { action: text.continueEditing, run: again });
    }
    // The list may have been rendered again.
    if (!opener?.isConnected) ($(`[data-of="${id}"]`) ?? $("#main")).focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Pixels; no screen shows it larger. */
const longest = 512;

/** A field with a picture: a file, one that is dropped, or one from the clipboard. */
export function pictureField() {
  const file = el("input", { type: "file", accept: "image/*", class: "hidden", tabIndex: -1, "aria-hidden": "true" });
  const fault = el("p", { class: "fault", role: "alert" });
  const preview = el("span", {});
  const choose = el("button", { type: "button", onclick: () => file.click() });
  const remove = el("button", { type: "button", class: "quiet", onclick: () => { choose.focus(); self.show(null); self.onChange(); } }, text.removePicture);
  const element = el("div", { class: "row pictures", role: "group", "aria-label": text.members.image }, preview, choose, remove, file, fault);
  const self = {
    element,
    /** @type {string | null} */
    id: null,
    onChange: () => {},
    /** @param {string | null} id */
    show(id) {
      self.id = id;
      preview.replaceChildren(...(id ? [picture(id)] : []));
      choose.textContent = id ? text.changePicture : text.addPicture;
      remove.hidden = !id;
    },
    /** @param {HTMLElement} area where a picture may be dropped or pasted */
    takeFrom(area) {
      area.addEventListener("dragover", (event) => event.preventDefault());
      area.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer?.files[0]); });
      area.addEventListener("paste", (event) => { take(event.clipboardData?.files[0]); });
    },
  };
  const take = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen || choose.disabled) return;
    // Saving waits for the picture.
    const buttons = [choose, $(".primary", element.closest("form") ?? element)];
    const disable = (/** @type {boolean} */ isBusy) => { for (const button of buttons) if (button) button.disabled = isBusy; };
    disable(true);
    fault.textContent = "";
    const made = uuid();
    try {
      const bytes = await reduced(chosen);
      await call("PUT", `/images/${made}`, { body: bytes, seconds: 60 });
      keep(made, bytes);
      self.show(made);
      self.onChange();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      fault.textContent = faultOf(problem);
    } finally {
      disable(false);
    }
  };
  file.addEventListener("change", () => { take(file.files?.[0]); file.value = ""; });
  return self;
}

/**
 * Scales a picture to the size of screens, and removes its metadata.
 * @param {Blob} file
 * @returns {Promise<Blob>}
 */
async function reduced(file) {
  let bitmap;
  // The browser cannot decode it: send the file, and let the server check it.
  try { bitmap = await createImageBitmap(file); } catch { return file; }
  const part = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  const canvas = el("canvas", { width: Math.ceil(bitmap.width * part), height: Math.ceil(bitmap.height * part) });
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), "image/webp", 0.85));
}
