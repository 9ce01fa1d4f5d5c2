// The editor of a task. The text is a draft from the first letter on. Changes by others appear at once; in a field that the user
// edited too, both versions are shown.
import { $, announce, el, field, grows, lengthOf, limitLength, select, text } from "./page.js";
import { addCategory, edit, remove } from "./actions.js";
import { addDays, dueTime, fullYear, instant, today, weekday } from "./dates.js";
import { findCategory } from "./add.js";
import { CategoryChoice } from "./choice.js";
import { blank, fieldsOf, names, shownField } from "./fields.js";
import { between, noDraft } from "../client/kanbase.js";
import { columns } from "./model.js";
import { ReminderField, remindersOf } from "./reminders.js";
import { NotesView } from "./notes.js";
import { recurrenceOf, RepeatField } from "./repeat-field.js";
import { isBlank } from "./words.js";

export class Editor {
  /** @param {App} app @param {string} id */
  constructor(app, id) {
    this.app = app;
    this.id = id;
    const task = app.model.tasks.get(id);
    const draft = app.engine.mirror.draft.get(`task:${id}`);
    /**
     * The server's values that this editor has shown.
     * @type {Fields}
     */
    this.base = /** @type {Fields} */ (draft ? draft.base : fieldsOf(task ?? blank, app));
    /** @type {Record<keyof Fields, any>} */
    this.controls = /** @type {any} */ ({});
    /** @type {Record<string, HTMLElement>} */
    this.theirs = Object.fromEntries(names.map((name) => [name, el("div", { class: "theirs", hidden: true })]));
    this.note = el("p", { class: "note", hidden: !draft }, text.draftRestored, " ",
      el("button", { class: "link", onclick: () => this.discard() }, text.discard));
    this.gone = el("p", { class: "note fault", hidden: true }, text.deletedElsewhere);
    this.notes = new NotesView(this);
    this.saveButton = el("button", { type: "submit", class: "primary" }, text.save);
    this.dialog = this.build();
    for (const name of names) this.controls[name].value = draft?.fields[name] ?? this.base[name];
    // Those of a draft are checked as if they were typed.
    for (const name of names) this.controls[name].dispatchEvent(new Event("input"));
    this.isOver = false;
    app.engine.typed.set(this.key, () => this.keep());
    this.takeIn();
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.controls.title.focus();
    this.controls.title.setSelectionRange(this.controls.title.value.length, this.controls.title.value.length);
  }

  build() {
    this.controls = {
      title: el("textarea", { name: "title", rows: 1, required: true, autocomplete: "off", enterKeyHint: "done" }),
      body: el("textarea", { name: "body", rows: 5 }),
      status: select({ name: "status" }, columns.map((status) => [status, text[status]])),
      category: new CategoryChoice(this.app.model),
      date: el("input", { name: "date", type: "date", max: "9999-12-31" }),
      time: el("input", { name: "time", type: "time" }),
      repeat: null, reminders: null,
    };
    const repeat = this.controls.repeat = new RepeatField(this);
    const reminders = this.controls.reminders = new ReminderField(this);
    const { title, body, status, category, date, time } = this.controls;
    const { theirs } = this;
    const { zone } = this.app.model;
    const choose = (/** @type {string} */ label, /** @type {() => string} */ day) => el("button", { class: "chip", onclick: () => this.setDate(day()) }, label);
    const form = el("form", { method: "dialog" },
      el("div", { class: "heading" }, el("h2", { id: "editor-title" }, text.task),
        el("button", { class: "link", onclick: () => this.app.router.go({ screen: "history", task: null, of: this.id }) }, text.screens.history)),
      this.gone, this.note,
      field(text.title, title, theirs.title), field(text.notes, body, this.notes.element, theirs.body),
      el("div", { class: "pair" }, field(text.column, status, theirs.status), field(text.category, category.select, category.line, theirs.category)),
      el("div", { class: "pair" }, field(text.dueDate, date, theirs.date), field(text.dueTime, time, theirs.time)),
      el("div", { class: "quick", role: "group", "aria-label": text.dueDate },
        choose(text.today, () => today(zone)), choose(text.tomorrow, () => addDays(today(zone), 1)),
        choose(text.nextWeek, () => weekday(1, today(zone), "next") ?? ""), choose(text.removeDate, () => "")),
      repeat.element, theirs.repeat, reminders.element, theirs.reminders,
      el("div", { class: "row end" },
        el("button", { class: "danger", onclick: () => this.remove() }, text.remove),
        el("span", { class: "space" }),
        el("button", { onclick: () => this.leave() }, text.close), this.saveButton));
    const dialog = el("dialog", { class: "sheet editor", "aria-labelledby": "editor-title" }, form);
    limitLength(title, 200);
    limitLength(body, 1000);
    for (const area of [title, body]) grows(area);
    // One line, however long it is.
    title.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      form.requestSubmit(this.saveButton);
    });
    title.addEventListener("input", () => {
      if (/[\r\n]/.test(title.value)) title.value = title.value.replace(/\s*[\r\n]+\s*/g, " ");
      if (lengthOf(title.value) <= 200) title.setCustomValidity(isBlank(title.value) ? text.titleMissing : "");
    });
    time.addEventListener("change", () => { this.timeWithoutDate(); repeat.render(); });
    // While a date is typed, it may be none.
    date.addEventListener("change", () => { if (date.value) repeat.moveDay(); });
    date.addEventListener("blur", () => { date.value = fullYear(date.value); repeat.moveDay(); this.keep(); });
    form.addEventListener("input", () => this.keep());
    form.addEventListener("change", () => this.keep());
    form.addEventListener("submit", (event) => { event.preventDefault(); this.save(); });
    dialog.addEventListener("cancel", (event) => { event.preventDefault(); this.leave(); });
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        form.requestSubmit(this.saveButton);
      }
    });
    // A click beside the sheet closes it; the draft stays. One on its scroll bar does not.
    dialog.addEventListener("mousedown", ({ target, clientX: x, clientY: y, detail }) => {
      const { left, right, top, bottom } = dialog.getBoundingClientRect();
      // The second of a double click on a card is not meant for the sheet that the first one opened.
      if (detail < 2 && target === dialog && (x < left || x > right || y < top || y > bottom)) this.leave();
    });
    return dialog;
  }

  /** @param {string} day none removes it */
  setDate(day) {
    const { date, time, repeat } = this.controls;
    date.value = day;
    if (!day) time.value = "";
    repeat.moveDay();
    this.keep();
    announce(day ? text.dateFilled(day) : text.noDue);
  }

  /** A time needs a day: today, or tomorrow when that time has passed. */
  timeWithoutDate() {
    const { date, time } = this.controls;
    if (!time.value || date.value) return;
    const { zone } = this.app.model;
    const now = today(zone);
    date.value = time.value > dueTime(new Date().toISOString(), zone) ? now : addDays(now, 1);
    announce(text.dateFilled(date.value));
  }

  /** The due date of the controls. */
  due() {
    const { date, time } = this.controls;
    const day = fullYear(date.value);
    return !day ? null : time.value ? instant(day, time.value, this.app.model.zone) : day;
  }

  values() {
    return Object.fromEntries(names.map((name) => [name, this.controls[name].value]));
  }

  /** @returns {Partial<Fields>} what the person changed */
  changed() {
    return Object.fromEntries(Object.entries(this.values()).filter(([name, value]) => value !== this.base[/** @type {keyof Fields} */ (name)]));
  }

  get key() {
    return `task:${this.id}`;
  }

  keep() {
    // A field that loses the focus because the sheet closes reports a change.
    if (this.isOver) return;
    this.controls.reminders.render();
    this.notes.render();
    const fields = this.changed();
    if (Object.keys(fields).length === 0) this.note.hidden = true;
    this.app.engine.keepDraft(this.key, fields, this.base);
  }

  takeIn() {
    const task = this.app.model.tasks.get(this.id);
    this.isGone = !task;
    this.gone.hidden = !this.isGone;
    this.saveButton.textContent = this.isGone ? text.restoreAndSave : text.save;
    this.controls.category.fill();
    if (!task) return;
    const current = fieldsOf(task, this.app);
    for (const name of names) {
      const theirs = current[name];
      const control = this.controls[name];
      if (theirs === this.base[name]) continue;
      if (control.value === this.base[name]) control.value = theirs;
      else if (control.value !== theirs) this.showTheirs(name, theirs);
      this.base = { ...this.base, [name]: theirs };
      if (name === "date" || name === "time") this.controls.repeat.render();
    }
    this.controls.reminders.render();
    this.notes.render();
  }

  /** @param {keyof Fields} name @param {string} value */
  showTheirs(name, value) {
    const box = this.theirs[name];
    const shown = shownField(this.app, name, value);
    const take = (/** @type {string} */ next) => {
      this.controls[name].value = next;
      this.controls[name].dispatchEvent(new Event("input", { bubbles: true }));
      box.hidden = true;
      this.controls[name].focus();
    };
    box.replaceChildren(el("p", {}, el("strong", {}, text.changedElsewhere), " ", el("q", {}, shown)),
      el("button", { class: "link", onclick: () => take(value) }, text.takeTheirs),
      el("button", { class: "link", onclick: () => { box.hidden = true; this.controls[name].focus(); } }, text.keepMine));
    if (name === "body" && value) {
      box.append(el("button", { class: "link", onclick: () => take(`${value}\n\n${this.controls.body.value}`) }, text.keepBoth));
    }
    box.hidden = false;
    announce(text.changedElsewhere);
  }

  save() {
    const { app, id } = this;
    // Whatever the server may still have of a task that is gone: these are the words.
    const fields = this.isGone ? this.values() : this.changed();
    /** @type {any[]} */
    const intents = [];
    /** @type {Record<string, any>} */
    const patch = {};
    for (const name of /** @type {const} */ (["title", "body", "status"])) if (fields[name] !== undefined) patch[name] = fields[name];
    if (fields.category !== undefined) patch.categoryId = this.categoryFor(fields.category.trim(), intents);
    if (fields.date !== undefined || fields.time !== undefined) patch.dueDate = this.due();
    if (fields.repeat !== undefined || (patch.dueDate === null && this.base.repeat)) patch.recurrence = this.due() ? recurrenceOf(fields.repeat ?? "") : null;
    if (fields.reminders !== undefined) patch.reminders = remindersOf(fields.reminders);
    if (this.isGone) intents.push({ type: "task", op: "restore", id });
    if (Object.keys(patch).length > 0) {
      const last = patch.status && app.model.column(patch.status).at(-1)?.position;
      intents.push({ type: "task", op: "patch", id, value: patch, ...(patch.status && { position: between(last ?? null, null) }) });
    }
    this.finish();
    edit(app, id, intents, [noDraft(this.key)]);
    this.goBack();
  }

  /** @param {string} name @param {any[]} intents @returns {string | null} */
  categoryFor(name, intents) {
    if (isBlank(name)) return null;
    const known = findCategory(this.app.model, name);
    if (known) return known.id;
    const made = addCategory(name);
    intents.push(made);
    return made.id;
  }

  discard() {
    for (const name of names) {
      this.controls[name].value = this.base[name];
      this.theirs[name].hidden = true;
    }
    this.keep();
    this.controls.title.focus();
  }

  remove() {
    this.finish();
    remove(this.app, this.id);
  }

  /** Closes without saving; the text stays as a draft. */
  leave() {
    const hasDraft = Object.keys(this.changed()).length > 0;
    this.finish();
    if (hasDraft) this.tellKept();
    this.app.render();
    this.goBack();
  }

  /** The focus goes to the card, or to the row of another screen, which may have been made anew. */
  goBack() {
    if (!this.app.board?.show(this.id)) ($(`[data-of="${this.id}"]`) ?? $("#main")).focus();
  }

  /** Closes the sheet and removes it from the address. */
  finish() {
    this.isOver = true;
    this.app.engine.typed.delete(this.key);
    this.dialog.close();
    this.app.router.leave("task");
  }

  tellKept() {
    this.app.toast(text.draftKept, { actions: [[text.continueEditing, () => this.app.router.go({ task: this.id })]] });
  }

  /** Closes it because the address changed: Back was pressed. */
  close() {
    if (!this.isOver && Object.keys(this.changed()).length > 0) this.tellKept();
    this.app.engine.typed.delete(this.key);
    this.dialog.close();
    this.dialog.remove();
  }
}

