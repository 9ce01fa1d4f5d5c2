// The lines on the board: "+ Add" under the last card, which reads dates and categories, and renaming in place. Both texts are
// drafts until they are saved.
import { $, announce, el, icon, lengthOf, limitLength, text } from "./page.js";
import { categoryPill } from "./board.js";
import { describeDue, dueTime, readLine, today } from "./dates.js";
import { addCategory, edit, undoAdding } from "./actions.js";
import { noDraft } from "./sync.js";
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
    this.button = el("button", { class: "add-open", onclick: () => this.open() }, icon("plus"), text.add);
    this.button.setAttribute("aria-label", text.addTo(text[status]));
    this.form = el("form", { class: "add", hidden: true, autocomplete: "off" }, this.input, this.reading,
      el("div", { class: "row" },
        el("button", { type: "submit", class: "primary" }, text.add),
        el("button", { class: "quiet", onclick: () => this.close() }, text.close)));
    this.element = el("div", { class: "adding" }, this.button, this.form);
    this.input.addEventListener("input", () => this.typed());
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.add(); });
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.stopPropagation(); this.close(); }
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

  focus() {
    (this.form.hidden ? this.button : this.input).focus();
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
    const { chosen } = app.model;
    const only = chosen.length === 1 ? chosen[0] : undefined;
    /** @type {Intent[]} */
    const intents = [];
    let categoryId = known?.id ?? (read.category || only === "none" ? null : only ?? null);
    if (read.category && !known) {
      const made = addCategory(read.category);
      intents.push(made);
      categoryId = made.id;
    }
    const id = uuid();
    const last = app.model.column(status).at(-1)?.position ?? null;
    const value = { title: read.title, status, ...(categoryId && { categoryId }), ...(read.dueDate && { dueDate: read.dueDate }) };
    intents.push({ type: "task", op: "create", id, value, position: between(last, null) });
    app.engine.edit(intents, [noDraft(this.key)]);
    undoAdding(app, { id, title: read.title });
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

/** @param {App} app @param {string} id @param {HTMLElement} card */
export function rename(app, id, card) {
  const task = app.model.tasks.get(id);
  if (!task || $("textarea", card)) return;
  const open = $(".open", card);
  const key = `rename:${id}`;
  const draft = app.engine.mirror.draft.get(key);
  // What others change from now on is a conflict, and shown beside.
  const revision = draft?.revision ?? task.revision;
  // As a control has it.
  const before = task.title.replace(/\r\n?/g, "\n");
  const input = el("textarea", { class: "rename", rows: 1, value: draft?.fields.title ?? before, "aria-label": text.title, enterKeyHint: "done" });
  limitLength(input, 200);
  const fit = () => {
    input.style.setProperty("height", "auto");
    input.style.setProperty("height", `${input.scrollHeight + 2}px`);
  };
  let isOver = false;
  const finish = (/** @type {boolean} */ isSaved) => {
    if (isOver) return;
    const title = input.value.trim();
    if (isSaved && lengthOf(title) > 200) return void input.reportValidity();
    isOver = true;
    app.engine.typed.delete(key);
    input.replaceWith(open);
    if (isSaved && title && title !== before.trim()) edit(app, id, [{ type: "task", op: "patch", id, value: { title }, baseRevision: revision }], [noDraft(key)]);
    // Unsaved text returns with the next rename.
    else if (isSaved || input.value === before) app.engine.keepDraft(key, {});
    // Others may have renamed it in the meantime.
    open.textContent = app.model.tasks.get(id)?.title ?? "";
    open.focus();
  };
  const keep = () => app.engine.keepDraft(key, input.value === before ? {} : { title: input.value }, { title: before }, revision);
  app.engine.typed.set(key, keep);
  input.addEventListener("input", () => { fit(); keep(); });
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") finish(false);
    if (event.key === "Enter") { event.preventDefault(); finish(true); }
  });
  input.addEventListener("blur", () => {
    // When a filter hides the card, the title stays a draft; when the task is gone, it becomes a question.
    if (!app.board?.isMoving) finish(input.isConnected || !app.model.tasks.has(id));
  });
  open.replaceWith(input);
  fit();
  input.focus();
  input.select();
}
