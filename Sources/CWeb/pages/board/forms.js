// The sheets of categories and D-days, and the field of a picture.
import { findCategory } from "./add.js";
import { call, Problem, uuid } from "./api.js";
import { $, el, field, limitLength } from "./dom.js";
import { keep, picture } from "./images.js";
import { faultOf } from "./login.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

const palette = ["#c2410c", "#b45309", "#4d7c0f", "#0f766e", "#0369a1", "#4338ca", "#a21caf", "#be123c", "#57534e"];

/** @param {App} app @param {import("./types.js").Category | null} category null makes a new one */
export function editCategory(app, category) {
  const name = el("input", { value: category?.name ?? "", required: true, autocomplete: "off" });
  limitLength(name, 50, (count) => text.tooLong(count, 50));
  const emoji = el("input", { value: category?.emoji ?? "", class: "short", autocomplete: "off" });
  let color = category ? category.color : palette[app.model.categories.size % palette.length];
  let image = category?.image ?? null;
  const swatches = el("div", { class: "swatches", role: "radiogroup", "aria-label": text.color }, ...[...palette, null].map((value) => {
    const input = el("input", { type: "radio", name: "color", checked: value === color, "aria-label": value ?? text.noColor });
    input.addEventListener("change", () => { color = value; });
    return el("label", { class: "swatch", style: { "--tint": value ?? "var(--line)" } }, input);
  }));
  const fault = el("p", { class: "fault", role: "alert" });
  sheet(category ? text.editCategory : text.addCategory, (form) => [
    el("div", { class: "pair" }, field(text.name, name), field(text.emoji, emoji)), swatches,
    pictureField(form, image, (id) => { image = id; }), fault,
  ], (event) => {
    const value = { name: name.value.trim(), color, emoji: emoji.value.trim() || null, image };
    const same = findCategory(app.model, value.name);
    if (value.name && (!same || same.id === category?.id)) return put(app, "category", category, value);
    event.preventDefault();
    fault.textContent = value.name ? text.nameTaken : text.nameMissing;
  }, category && (() => {
    const count = [...app.model.tasks.values()].filter((task) => task.categoryId === category.id).length;
    if (!confirm(text.deleteCategory(category.name, count))) return false;
    app.engine.edit([{ type: "category", op: "delete", id: category.id }]);
    return true;
  }));
}

/** @param {App} app @param {any} dday null makes a new one */
export function editDDay(app, dday) {
  const title = el("input", { value: dday?.title ?? "", required: true, autocomplete: "off" });
  limitLength(title, 100, (count) => text.tooLong(count, 100));
  const date = el("input", { type: "date", value: dday?.date ?? "", required: true, max: "9999-12-31" });
  const repeats = el("input", { type: "checkbox", checked: dday?.repeats === "yearly" });
  const emoji = el("input", { value: dday?.emoji ?? "", class: "short", autocomplete: "off" });
  let image = dday?.image ?? null;
  sheet(dday ? text.editDDay : text.addDDay, (form) => [
    field(text.title, title), el("div", { class: "pair" }, field(text.date, date), field(text.emoji, emoji)),
    el("label", { class: "check" }, repeats, el("span", {}, text.yearly)),
    pictureField(form, image, (id) => { image = id; }),
  ], () => put(app, "dday", dday, { title: title.value, date: date.value, repeats: repeats.checked ? "yearly" : "none", emoji: emoji.value || null, image }),
  dday && (() => { app.engine.edit([{ type: "dday", op: "delete", id: dday.id }]); return true; }));
}

/**
 * Creates a resource, or patches the members that differ.
 * @param {App} app
 * @param {"category" | "dday"} type
 * @param {any} before
 * @param {Record<string, any>} value
 */
function put(app, type, before, value) {
  const changed = Object.fromEntries(Object.entries(value).filter(([name, member]) => !before || (before[name] ?? null) !== member));
  if (Object.keys(changed).length) app.engine.edit([{ type, op: before ? "patch" : "create", id: before?.id ?? uuid(), value: changed }]);
}

/**
 * @param {string} title
 * @param {(form: HTMLFormElement) => Node[]} fields
 * @param {(event: Event) => void} save
 * @param {(() => boolean) | null} remove tells whether it was deleted
 */
function sheet(title, fields, save, remove) {
  const form = el("form", { method: "dialog" }, el("h2", { id: "sheet-title" }, title));
  const dialog = el("dialog", { class: "sheet", "aria-labelledby": "sheet-title" }, form);
  const close = () => dialog.close();
  form.append(...fields(form), el("div", { class: "row end" },
    remove && el("button", { type: "button", class: "danger", onclick: () => { if (remove()) close(); } }, text.remove),
    el("span", { class: "space" }), el("button", { type: "button", onclick: close }, text.close), el("button", { class: "primary" }, text.save)));
  form.addEventListener("submit", save);
  const opener = document.activeElement;
  dialog.addEventListener("close", () => {
    dialog.remove();
    // The list may have been rendered again.
    if (!opener?.isConnected) $("#main").focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Pixels; no screen shows it larger. */
const longest = 512;

/**
 * A field with a picture: a file, one that is dropped, or one from the clipboard.
 * @param {HTMLElement | null} form takes what is dropped or pasted
 * @param {string | null} id
 * @param {(id: string | null) => void} change
 */
export function pictureField(form, id, change) {
  const file = el("input", { type: "file", accept: "image/*", class: "hidden", tabIndex: -1, "aria-hidden": "true" });
  const fault = el("p", { class: "fault", role: "alert" });
  const preview = el("span", {});
  const choose = el("button", { type: "button", onclick: () => file.click() });
  const remove = el("button", { type: "button", class: "quiet", onclick: () => { choose.focus(); show(null); change(null); } }, text.removePicture);
  const group = el("div", { class: "row pictures", role: "group", "aria-label": text.members.image }, preview, choose, remove, file, fault);
  const area = form ?? group;
  const show = (/** @type {string | null} */ next) => {
    preview.replaceChildren(...(next ? [picture(next)] : []));
    choose.textContent = next ? text.changePicture : text.addPicture;
    remove.hidden = !next;
  };
  const take = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen || choose.disabled) return;
    // Saving waits for the picture.
    const buttons = [choose, ...area.querySelectorAll(".primary")];
    const disable = (/** @type {boolean} */ isBusy) => { for (const button of buttons) button.disabled = isBusy; };
    disable(true);
    fault.textContent = "";
    const made = uuid();
    try {
      const bytes = await reduced(chosen);
      await call("PUT", `/images/${made}`, { body: bytes, seconds: 60 });
      keep(made, bytes);
      show(made);
      change(made);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      fault.textContent = faultOf(problem);
    } finally {
      disable(false);
    }
  };
  file.addEventListener("change", () => { take(file.files?.[0]); file.value = ""; });
  area.addEventListener("dragover", (/** @type {DragEvent} */ event) => event.preventDefault());
  area.addEventListener("drop", (/** @type {DragEvent} */ event) => { event.preventDefault(); take(event.dataTransfer?.files[0]); });
  area.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => { take(event.clipboardData?.files[0]); });
  show(id);
  return group;
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
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((/** @type {Blob | null} */ blob) => resolve(blob ?? file), "image/webp", 0.85));
}
