// The lines on the board: "Add" in the heading of a column, which reads dates and categories, and renaming in place. Both texts are
// drafts until they are saved.
import { $, el, icon, lengthOf, limitLength, text } from "./page.js";
import { categoryPill } from "./board.js";
import { describeDue, dueTime, today } from "./dates.js";
import { act, addCategory, edit, shown } from "./actions.js";
import { between, noDraft, sameKey, uuid } from "../client/kanbase.js";
import { readQuick } from "./quick.js";
import { repeatMark } from "./repeat.js";
import { isBlank } from "./words.js";

export class AddForm {
  /** @param {App} app @param {Status} status */
  constructor(app, status) {
    this.app = app;
    this.status = status;
    this.key = `add:${status}`;
    this.input = el("input", { type: "text", autocomplete: "off", enterKeyHint: "done", placeholder: text.addHint, "aria-label": text.addTo(text[status]) });
    this.reading = el("p", { class: "pills", "aria-live": "polite" });
    /** @type {Set<string>} what is not read in this line, `due` or `category` */
    this.off = new Set();
    this.button = el("button", { class: "add-open quiet square", "aria-label": text.addTo(text[status]), title: text.addTo(text[status]), onclick: () => this.open() }, icon("plus"));
    this.question = el("div", { class: "row", role: "group", hidden: true });
    this.form = el("form", { class: "add", hidden: true, autocomplete: "off" }, this.input, this.reading, this.question,
      el("div", { class: "row" },
        el("button", { type: "submit", class: "primary" }, text.add),
        el("button", { class: "quiet", onclick: () => this.close() }, text.close)));
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("paste", (event) => this.pasted(event));
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.add(); });
    this.form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      // What was read stays text; the next one closes.
      if (!this.question.hidden) { this.question.hidden = true; this.input.focus(); }
      else if (this.reading.firstChild) this.leave("due", "category");
      else this.close();
    });
    const draft = app.engine.mirror.draft.get(this.key);
    if (draft?.fields.line) { this.input.value = draft.fields.line; this.open({ focus: false }); }
  }

  open({ focus = true } = {}) {
    this.form.hidden = false;
    this.showReading();
    if (focus) this.input.focus();
  }

  /** The line stays as a draft. */
  close() {
    this.form.hidden = true;
    this.focus();
  }

  focus() {
    const control = this.form.hidden ? this.button : this.input;
    // On phones, one button for all columns takes the place of it.
    (control.getClientRects().length ? control : /** @type {HTMLElement} */ (this.app.board?.round)).focus();
  }

  read(line = this.input.value, off = this.off) {
    const { zone } = this.app.model;
    return readQuick(line, { today: today(zone), zone, now: dueTime(new Date().toISOString(), zone), off });
  }

  typed() {
    this.input.setCustomValidity("");
    if (!this.input.value) this.off.clear();
    this.showReading();
    this.app.engine.typed.set(this.key, () => this.keep());
    this.keep();
  }

  keep() {
    const line = this.input.value;
    this.app.engine.keepDraft(this.key, line ? { line } : {});
  }

  showReading() {
    const { category, dueDate, recurrence } = this.read();
    const { model } = this.app;
    const chip = (/** @type {string} */ kind, /** @type {Node | string} */ words) =>
      el("button", { class: "read", title: text.leaveAsText, onclick: () => this.leave(kind) }, words, el("span", { class: "hidden" }, text.leaveAsText), icon("close"));
    this.reading.replaceChildren(
      ...(category ? [chip("category", categoryPill(findCategory(model, category) ?? { name: category, color: null, emoji: null }))] : []),
      ...(dueDate ? [chip("due", el("span", { class: "pill" }, describeDue(dueDate, model.zone).label))] : []),
      ...(recurrence ? [chip("due", repeatMark(recurrence, model.zone, "pill repeat"))] : []));
  }

  /** @param {...string} kinds that are not read, since they are meant as text */
  leave(...kinds) {
    for (const kind of kinds) this.off.add(kind);
    this.showReading();
    this.input.focus();
  }

  add() {
    const read = this.read();
    if (isBlank(read.title)) return this.input.focus();
    const length = lengthOf(read.title);
    if (length > 200) {
      this.input.setCustomValidity(text.tooLong(length, 200));
      return this.input.reportValidity();
    }
    this.input.value = "";
    this.off.clear();
    this.showReading();
    // Nor on the form that was here before another screen.
    this.app.engine.typed.delete(this.key);
    this.make([read], [noDraft(this.key)]);
    this.input.focus({ preventScroll: true });
  }

  /** @param {(ReturnType<typeof readQuick> & {body?: string})[]} reads @param {Change[]} [also] */
  make(reads, also) {
    const { app, status } = this;
    const { chosen } = app.model;
    const only = chosen.length === 1 && chosen[0] !== "none" ? chosen[0] : null;
    /** @type {Map<string, Intent>} */
    const made = new Map();
    let last = app.model.column(status).at(-1)?.position ?? null;
    const tasks = reads.map(({ title, body, category, dueDate, recurrence }) => {
      let categoryId = only;
      if (category) {
        const key = sameKey(category);
        const known = findCategory(app.model, category) ?? made.get(key);
        const next = known ?? addCategory(category);
        if (!known) made.set(key, /** @type {Intent} */ (next));
        categoryId = next.id;
      }
      last = between(last, null);
      const value = { title, status, ...(body && { body }), ...(categoryId && { categoryId }), ...(dueDate && { dueDate }), ...(recurrence && { recurrence: { ...recurrence, timeZone: app.model.ruleZone } }) };
      return /** @type {Intent} */ ({ type: "task", op: "create", id: uuid(), value, position: last });
    });
    const [{ id }] = tasks;
    const title = tasks.length > 1 ? text.taskCount(tasks.length) : reads[0].title;
    act(app, [...tasks, ...made.values()].map(({ type, id }) => /** @type {Target} */ ({ type, id })), [...made.values(), ...tasks], {
      also, title, say: () => (app.board?.cardOf(id) ? text.added : text.addedHidden)(title), actions: () => shown(app, id, { focus: false }),
    });
  }

  /** @param {ClipboardEvent} event */
  pasted(event) {
    const lines = (event.clipboardData?.getData("text") ?? "").split(/\r?\n/)
      .map((line) => line.trim().replace(/^(?:[-*•]|\d+[.)])\s+/, "").replace(/^\[[ xX]\]\s+/, "")).filter((line) => !isBlank(line));
    if (lines.length < 2) return;
    event.preventDefault();
    // The line would glue a whole book together.
    if (lines.length > 1000) return this.app.toast(text.tooManyLines(lines.length), { isFault: true });
    const answer = (/** @type {() => void} */ run) => () => { this.question.hidden = true; run(); this.input.focus(); };
    const many = el("button", { class: "primary", onclick: answer(() => this.make(lines.map((line) => this.readPasted(line)))) }, text.taskCount(lines.length));
    const one = el("button", { onclick: answer(() => { this.input.setRangeText(lines.join(" "), this.input.selectionStart ?? 0, this.input.selectionEnd ?? 0, "end"); this.typed(); }) }, text.oneTask);
    this.question.replaceChildren(el("span", {}, text.manyOrOne(lines.length)), many, one);
    this.question.hidden = false;
    many.focus();
  }

  /** @param {string} line one that is too long for a title is in the notes, too */
  readPasted(line) {
    const read = this.read(line, new Set());
    if (lengthOf(read.title) <= 200) return read;
    return { ...read, title: `${[...read.title].slice(0, 199).join("")}…`, body: [...line].slice(0, 1000).join("") };
  }
}

/** @param {Model} model @param {string} name */
export function findCategory(model, name) {
  const wanted = sameKey(name.trim());
  return [...model.categories.values()].find((category) => sameKey(category.name) === wanted);
}

/**
 * Opens the form of the column that the focus is in, else the first that is in sight.
 * @param {App} app
 */
export function openAdd(app) {
  const column = $(":focus")?.closest?.(".column") ?? app.board?.columnInSight();
  app.board?.columns.get(column?.dataset.column)?.add.open();
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
    const title = input.value.trim().replace(/\s*[\r\n]+\s*/g, " ");
    if (isSaved && lengthOf(title) > 200) return void input.reportValidity();
    isOver = true;
    app.engine.typed.delete(key);
    input.replaceWith(open);
    if (isSaved && !isBlank(title) && input.value.trim() !== before.trim()) edit(app, id, [{ type: "task", op: "patch", id, value: { title }, baseRevision: revision }], [noDraft(key)]);
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
