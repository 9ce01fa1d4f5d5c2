// The editor's sheet: its controls, what happens at them, and what is wrong with them.
import { $, el, field, grows, icon, lengthOf, limitLength, select, text } from "./page.js";
import { addDays, fullYear, today, weekday } from "./dates.js";
import { CategoryChoice } from "./choice.js";
import { columns } from "./model.js";
import { ReminderField } from "./reminders.js";
import { RepeatField } from "./repeat-field.js";
import { isBlank } from "./words.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @type {Record<string, (keyof Fields)[]>} what is wrong with a control, by its name; others are of the date and the rule */
const textsOf = { title: ["title"], body: ["body"], newCategory: ["category"] };

/** @param {string} name @returns {boolean} of a field: whether a value that is not valid can be kept; a date that is half typed has none */
export const isText = (name) => ["title", "body", "category"].includes(name);

/** @param {Editor} editor @returns {HTMLDialogElement} */
export function build(editor) {
  const { app, form, theirs } = editor;
  editor.controls = {
    title: el("textarea", { name: "title", rows: 1, required: true, autocomplete: "off", enterKeyHint: "done" }),
    body: el("textarea", { name: "body", rows: 5 }),
    status: select({ name: "status" }, columns.map((status) => [status, text[status]])),
    category: new CategoryChoice(app.model),
    // A year that is half typed is none.
    date: el("input", { name: "date", type: "date", min: "1000-01-01", max: "9999-12-31" }),
    time: el("input", { name: "time", type: "time" }),
    repeat: null, reminders: null,
  };
  const repeat = editor.controls.repeat = new RepeatField(editor);
  const reminders = editor.controls.reminders = new ReminderField(editor);
  const { title, body, status, category, date, time } = editor.controls;
  const { zone } = app.model;
  const choose = (/** @type {string} */ label, /** @type {() => string} */ day) => el("button", { class: "chip", onclick: () => editor.setDate(day()) }, label);
  form.append(
    el("div", { class: "heading" }, el("h2", { id: "editor-title" }, text.task), editor.told, el("span", { class: "space" }),
      el("button", { class: "link", onclick: () => app.router.go({ screen: "history", task: null, of: editor.id }) }, text.screens.history),
      el("button", { class: "quiet square", "aria-label": text.close, onclick: () => editor.leave() }, icon("close"))),
    editor.gone, editor.note,
    field(text.title, title, theirs.title), field(text.notes, body, editor.notes.element, theirs.body),
    el("div", { class: "pair" }, field(text.column, status, theirs.status), field(text.category, category.select, category.line, theirs.category)),
    el("div", { class: "pair" }, field(text.dueDate, date, theirs.date), field(text.dueTime, time, theirs.time)),
    el("div", { class: "quick", role: "group", "aria-label": text.dueDate },
      choose(text.today, () => today(zone)), choose(text.tomorrow, () => addDays(today(zone), 1)),
      choose(text.nextWeek, () => weekday(1, today(zone), "next") ?? ""), choose(text.removeDate, () => "")),
    repeat.element, theirs.repeat, reminders.element, theirs.reminders,
    el("div", { class: "row end" },
      el("button", { class: "danger", onclick: () => editor.remove() }, text.remove), el("span", { class: "space" }), editor.saveButton));
  const dialog = el("dialog", { class: "sheet editor", "aria-labelledby": "editor-title" }, form);
  limitLength(title, 200);
  limitLength(body, 1000);
  for (const area of [title, body]) grows(area);
  const fillYear = () => {
    if (date.validity.badInput) return;
    date.value = fullYear(date.value);
    repeat.moveDay();
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    fillYear();
    form.requestSubmit(editor.saveButton);
  };
  // One line, however long it is.
  title.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") submit(event); });
  title.addEventListener("input", () => {
    if (/[\r\n]/.test(title.value)) title.value = title.value.replace(/\s*[\r\n]+\s*/g, " ");
    if (lengthOf(title.value) <= 200) title.setCustomValidity(isBlank(title.value) ? text.titleMissing : "");
  });
  time.addEventListener("change", () => { editor.timeWithoutDate(); repeat.render(); });
  // While a date is typed, it may be none.
  date.addEventListener("change", () => { if (date.value) repeat.moveDay(); });
  date.addEventListener("blur", fillYear);
  form.addEventListener("input", ({ target }) => { if (target === reminders.element) editor.save(); else editor.typed(); });
  form.addEventListener("change", ({ target }) => { if (/** @type {HTMLElement} */ (target).matches("select, [type=checkbox]")) editor.save(); });
  // The name of a new category waits for this, however long it has been there.
  form.addEventListener("focusout", ({ target }) => { if (editor.since || target === category.line) editor.save(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); editor.submit(); });
  dialog.addEventListener("cancel", (event) => { event.preventDefault(); editor.leave(); });
  dialog.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.defaultPrevented && (event.ctrlKey || event.metaKey)) submit(event); });
  // A click beside the sheet closes it. One on its scroll bar does not.
  dialog.addEventListener("mousedown", ({ target, clientX: x, clientY: y, detail }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    // The second of a double click on a card is not meant for the sheet that the first one opened.
    if (detail < 2 && target === dialog && (x < left || x > right || y < top || y > bottom)) editor.leave();
  });
  return dialog;
}

/**
 * Says beside each control what is wrong with it.
 * @param {HTMLFormElement} form @param {boolean} [isLast] the editor closes
 * @returns {Set<string>} the fields that cannot be saved
 */
export function faults(form, isLast) {
  const wrong = new Set();
  [...form.elements].forEach((element, index) => {
    const control = /** @type {HTMLInputElement} */ (element);
    const { validationMessage: fault } = control;
    const id = `fault-${index}`;
    let place = $(`#${id}`, form);
    if (fault && !place) control.closest(".field")?.append(place = el("p", { class: "fault", id, role: "alert" }));
    if (place) {
      if (place.textContent !== fault) place.textContent = fault;
      control.setAttribute("aria-describedby", id);
      control.setAttribute("aria-invalid", String(!!fault));
    }
    // No category is made of a name that is half typed.
    const isHalf = control.name === "newCategory" && control === document.activeElement && !isLast;
    if (fault || isHalf) for (const name of textsOf[control.name] ?? ["date", "time", "repeat"]) wrong.add(name);
  });
  return wrong;
}
