// The editor of a task. It saves by itself: what is typed is an edit a second later, and all edits of one visit are one step of
// undo. What cannot be saved stays a draft. Changes by others appear at once; in a field with words that are not saved, both
// versions are shown.
import { $, announce, el, text } from "./page.js";
import { addCategory, edit, remove } from "./actions.js";
import { editWithin, tellVisit } from "./visit.js";
import { addDays, dueTime, fullYear, instant, today } from "./dates.js";
import { findCategory } from "./add.js";
import { blank, fieldsOf, names, replaceValue, shownField } from "./fields.js";
import { between, noDraft, uuid } from "../client/kanbase.js";
import { build, faults, isText } from "./editor-form.js";
import { remindersOf } from "./reminders.js";
import { NotesView } from "./notes.js";
import { recurrenceOf } from "./repeat-field.js";
import { isBlank } from "./words.js";

/** Milliseconds from the last key to the edit, and from the first one at most. */
const stillness = 1000;
const latest = 10_000;

export class Editor {
  /** @param {App} app @param {string} id */
  constructor(app, id) {
    this.app = app;
    this.id = id;
    this.visit = uuid();
    /** @type {Step | undefined} what this visit did */
    this.step = undefined;
    /** When the first key was pressed that is not saved. */
    this.since = 0;
    const task = app.model.tasks.get(id);
    const draft = app.engine.mirror.draft.get(`task:${id}`);
    /**
     * The values that this editor has shown or saved.
     * @type {Fields}
     */
    this.base = /** @type {Fields} */ (draft ? draft.base : fieldsOf(task ?? blank, app));
    /** @type {Record<keyof Fields, any>} */
    this.controls = /** @type {any} */ ({});
    /** @type {Map<string, any>} what others changed while this editor had other words, with its value before: not saved until the user chooses */
    this.contested = new Map();
    /** @type {Record<string, HTMLElement>} */
    this.theirs = Object.fromEntries(names.map((name) => [name, el("div", { class: "theirs", hidden: true })]));
    this.note = el("p", { class: "note", hidden: !draft }, text.draftRestored, " ",
      el("button", { class: "link", onclick: () => this.discard() }, text.discard));
    this.gone = el("p", { class: "note fault", hidden: true }, text.deletedElsewhere);
    this.notes = new NotesView(this);
    this.told = el("span", { class: "quiet-words", role: "status" });
    this.saveButton = el("button", { type: "submit", class: "primary" }, text.save);
    this.form = el("form", { method: "dialog" });
    this.isOver = true;
    this.dialog = build(this);
    for (const name of names) this.controls[name].value = draft?.fields[name] ?? this.base[name];
    // Those of a draft are checked as if they were typed.
    for (const name of names) this.controls[name].dispatchEvent(new Event("input"));
    this.isOver = false;
    app.engine.typed.set(this.key, () => this.save());
    this.takeIn();
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.controls.title.focus();
    this.controls.title.setSelectionRange(this.controls.title.value.length, this.controls.title.value.length);
    if (draft) faults(this.form);
  }

  /** @param {string} day none removes it */
  setDate(day) {
    const { date, time, repeat } = this.controls;
    date.value = day;
    if (!day) time.value = "";
    repeat.moveDay();
    this.save();
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

  typed() {
    if (this.isOver) return;
    this.controls.reminders.render();
    this.notes.render();
    const now = Date.now();
    this.since ||= now;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), Math.min(stillness, this.since + latest - now));
  }

  /**
   * Makes what was typed an edit. What cannot be saved stays a draft.
   * @param {boolean} [isLast] the editor closes
   * @returns {string[]} the fields that are not even kept
   */
  save(isLast) {
    clearTimeout(this.timer);
    this.since = 0;
    if (this.isOver) return [];
    const lost = [];
    this.controls.reminders.render();
    this.notes.render();
    const wrong = faults(this.form, isLast);
    const open = new Set(this.contested.keys());
    // The two are one due date.
    if (open.has("date") || open.has("time")) open.add("date").add("time");
    /** @type {Record<string, any>[]} */
    const [fields, kept] = [{}, {}];
    for (const [name, value] of Object.entries(this.changed())) {
      if (!wrong.has(name) && !open.has(name) && !this.isGone) fields[name] = value;
      // A date that is half typed has no value yet.
      else if (!wrong.has(name) || isText(name)) kept[name] = value;
      else lost.push(name);
    }
    if (Object.keys(fields).length > 0) this.step = editWithin(this.app, this.id, this.intents(fields), this.step);
    this.note.hidden ||= Object.keys(kept).length === 0;
    // With the values of before, the question is asked again when the draft is opened.
    this.app.engine.keepDraft(this.key, kept, { ...this.base, ...Object.fromEntries(this.contested) });
    return lost;
  }

  /** True once somebody deleted the task. */
  get isGone() {
    return !this.app.model.tasks.has(this.id);
  }

  takeIn() {
    const { app, told } = this;
    const task = app.model.tasks.get(this.id);
    this.gone.hidden = !this.isGone;
    this.saveButton.textContent = this.isGone ? text.restoreAndSave : text.save;
    this.controls.category.fill();
    if (!task) return;
    const current = fieldsOf(task, app);
    for (const name of names) {
      const theirs = current[name];
      const control = this.controls[name];
      if (theirs === this.base[name]) continue;
      if (control.value === this.base[name]) replaceValue(control, theirs);
      else if (control.value !== theirs) this.showTheirs(name, theirs);
      else this.settle(name);
      this.base = { ...this.base, [name]: theirs };
      if (name === "date" || name === "time") this.controls.repeat.render();
    }
    this.controls.reminders.render();
    this.notes.render();
    const isOffline = app.engine.state.phase === "offline";
    const said = isOffline ? text.savedHere : text.saved;
    if (this.step && said !== told.textContent && (isOffline || !app.model.unsent.has(this.id))) told.textContent = said;
  }

  /** @param {keyof Fields} name @param {string} value */
  showTheirs(name, value) {
    const box = this.theirs[name];
    const shown = shownField(this.app, name, value);
    const take = (/** @type {string} */ next) => {
      this.settle(name);
      if (this.controls[name].value !== next) this.controls[name].value = next;
      this.controls[name].dispatchEvent(new Event("input", { bubbles: true }));
      this.controls[name].focus();
    };
    if (!this.contested.has(name)) this.contested.set(name, this.base[name]);
    box.replaceChildren(el("p", {}, el("strong", {}, text.changedElsewhere), " ", el("q", {}, shown)),
      el("button", { class: "link", onclick: () => take(value) }, text.takeTheirs),
      el("button", { class: "link", onclick: () => take(this.controls[name].value) }, text.keepMine));
    if (name === "body" && value) {
      box.append(el("button", { class: "link", onclick: () => take(`${value}\n\n${this.controls.body.value}`) }, text.keepBoth));
    }
    box.hidden = false;
    announce(text.changedElsewhere);
  }

  /** @param {string} name of a field of which the user has chosen a value */
  settle(name) {
    this.contested.delete(name);
    this.theirs[name].hidden = true;
  }

  /**
   * @param {Record<string, any>} fields what changes
   * @returns {Intent[]}
   */
  intents(fields) {
    const { app, id, visit } = this;
    /** @type {Intent[]} */
    const intents = [];
    /** @type {Record<string, any>} */
    const value = {};
    for (const name of /** @type {const} */ (["title", "body", "status"])) if (fields[name] !== undefined) value[name] = fields[name];
    if (fields.category !== undefined) value.categoryId = this.categoryFor(fields.category.trim(), intents);
    if (fields.date !== undefined || fields.time !== undefined) value.dueDate = this.due();
    if (fields.repeat !== undefined || (value.dueDate === null && this.base.repeat)) value.recurrence = this.due() ? recurrenceOf(fields.repeat ?? "") : null;
    if (fields.reminders !== undefined) value.reminders = remindersOf(fields.reminders);
    const last = value.status && app.model.column(value.status).at(-1)?.position;
    intents.push({ type: "task", op: "patch", id, value, visit, ...(value.status && { position: between(last ?? null, null) }) });
    this.base = { ...this.base, ...fields };
    return intents;
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
      this.controls[name].dispatchEvent(new Event("input"));
      this.settle(name);
    }
    this.save();
    this.controls.title.focus();
  }

  remove() {
    this.finish();
    remove(this.app, this.id);
  }

  submit() {
    const { app, id, isGone } = this;
    // Whatever the server may still have of a task that is gone: these are the words.
    const intents = isGone ? this.intents(this.values()) : [];
    this.finish();
    if (isGone) edit(app, id, [{ type: "task", op: "restore", id }, ...intents], [noDraft(this.key)]);
    this.goBack();
  }

  /** Closes; what was typed is saved. */
  leave() {
    this.finish();
    this.goBack();
  }

  /** The focus goes to the card, or to the row of another screen, which may have been rebuilt. */
  goBack() {
    if (!this.app.board?.show(this.id)) ($(`[data-of="${this.id}"]`) ?? $("#main")).focus();
  }

  /** Closes the sheet and removes it from the address. */
  finish() {
    this.end();
    this.app.router.leave("task");
  }

  /** Closes it because the address changed: Back was pressed. */
  close() {
    this.end();
    this.dialog.remove();
  }

  end() {
    if (this.isOver) return;
    const { app, key, id } = this;
    const lost = this.save(true);
    this.isOver = true;
    app.engine.typed.delete(key);
    this.dialog.close();
    if (this.step) tellVisit(app, this.step);
    if (lost.length > 0) app.toast(text.notSaved(lost.map((name) => /** @type {any} */ ({ date: text.dueDate, time: text.dueTime, repeat: text.repeat })[name]).join(", ")), { isFault: true });
    if (app.engine.mirror.draft.has(key)) app.toast(text.draftKept, { actions: [[text.continueEditing, () => app.router.go({ task: id })]] });
  }
}
