// "+ Add" under the last card: a line that reads dates and categories. The text is kept as a draft until it is added.
import { $, announce, el, icon, lengthOf } from "./dom.js";
import { categoryPill } from "./board.js";
import { describeDue, dueTime, today } from "./dates.js";
import { readLine } from "./quick.js";
import { addCategory } from "./actions.js";
import { noDraft } from "./sync.js";
import { text } from "./texts.js";
import { uuid } from "./api.js";
import { between } from "./model.js";

export class AddForm {
  /** @param {App} app @param {Status} status */
  constructor(app, status) {
    this.app = app;
    this.status = status;
    this.key = `add:${status}`;
    this.input = el("input", { type: "text", autocomplete: "off", enterKeyHint: "done", placeholder: text.addHint, "aria-label": text.addTo(text[status]) });
    this.reading = el("p", { class: "pills", "aria-live": "polite" });
    this.button = el("button", { type: "button", class: "add-open", onclick: () => this.open() }, icon("plus"), text.add);
    this.button.setAttribute("aria-label", text.addTo(text[status]));
    this.form = el("form", { class: "add", hidden: true, autocomplete: "off" }, this.input, this.reading,
      el("div", { class: "row" },
        el("button", { class: "primary" }, text.add),
        el("button", { type: "button", class: "quiet", onclick: () => this.close() }, text.close)));
    this.element = el("div", { class: "adding" }, this.button, this.form);
    this.input.addEventListener("input", () => this.typed());
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.add(); });
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.stopPropagation(); this.close(); }
      // During composition, Enter is for the input method.
      if (event.key === "Enter" && event.isComposing) event.preventDefault();
    });
    const draft = app.engine.mirror.draft.get(this.key);
    if (draft?.fields.line) { this.input.value = draft.fields.line; this.open({ focus: false }); }
  }

  open({ focus = true } = {}) {
    this.form.hidden = false;
    this.button.hidden = true;
    this.showReading();
    if (focus) this.input.focus();
    if (focus) this.form.scrollIntoView({ block: "nearest" });
  }

  /** The line stays as a draft. */
  close() {
    this.form.hidden = true;
    this.button.hidden = false;
    this.button.focus();
  }

  read() {
    const { zone } = this.app.model;
    return readLine(this.input.value, { today: today(zone), zone, now: dueTime(new Date().toISOString(), zone) });
  }

  typed() {
    this.input.setCustomValidity("");
    this.showReading();
    this.app.engine.typed.set(this.key, () => this.keep());
    this.keep();
  }

  keep() {
    const line = this.input.value;
    this.app.engine.keepDraft(this.key, line ? { line } : {});
  }

  showReading() {
    const { category, dueDate } = this.read();
    const { model } = this.app;
    const pills = [];
    if (category) pills.push(categoryPill(findCategory(model, category) ?? { name: category, color: null, emoji: null }));
    if (dueDate) pills.push(el("span", { class: "pill due" }, describeDue(dueDate, model.zone).label));
    this.reading.replaceChildren(...pills);
  }

  add() {
    const { app, status } = this;
    const read = this.read();
    if (!read.title) return this.input.focus();
    const length = lengthOf(read.title);
    if (length > 200) {
      this.input.setCustomValidity(text.tooLong(length, 200));
      return this.input.reportValidity();
    }
    this.input.value = "";
    this.showReading();
    const known = read.category ? findCategory(app.model, read.category) : undefined;
    const only = app.model.filter.categories.size === 1 ? [...app.model.filter.categories][0] : undefined;
    const intents = [];
    let categoryId = known?.id ?? (read.category || only === "none" ? null : only ?? null);
    if (read.category && !known) {
      const made = addCategory({ name: read.category });
      intents.push(made);
      categoryId = made.id;
    }
    const id = uuid();
    const last = app.model.column(status).at(-1)?.position ?? null;
    const value = { title: read.title, status, ...(categoryId && { categoryId }), ...(read.dueDate && { dueDate: read.dueDate }) };
    intents.push({ type: /** @type {const} */ ("task"), op: /** @type {const} */ ("create"), id, value, position: between(last, null) });
    app.engine.edit(intents, [noDraft(this.key)]);
    if (app.board?.show(id, { focus: false })) announce(text.added(read.title));
    else app.toast(text.addedHidden(read.title), { action: text.clearFilter, run: () => app.reveal(id) });
    this.form.scrollIntoView({ block: "nearest" });
    this.input.focus({ preventScroll: true });
  }
}

/** @param {Model} model @param {string} name */
export function findCategory(model, name) {
  const wanted = name.trim().toLowerCase();
  return [...model.categories.values()].find((category) => category.name.toLowerCase() === wanted);
}

/**
 * Opens the form of the column that the focus is in, else the first.
 * @param {App} app
 */
export function openAdd(app) {
  const status = /** @type {any} */ ($(":focus")?.closest?.(".column"))?.dataset.column ?? "todo";
  app.board?.columns.get(status)?.add.open();
}
