// The values of the editor's fields, as texts, so that each is compared, kept as a draft and shown in one way.
import { wordsOf } from "./conflicts.js";
import { dueDay, dueTime } from "./dates.js";
import { text } from "./page.js";
import { reminderValue, remindersOf } from "./reminders.js";
import { recurrenceOf, repeatValue } from "./repeat-field.js";

export const names = /** @type {(keyof Fields)[]} */ (["title", "body", "status", "category", "date", "time", "repeat", "reminders"]);

/** @type {any} */
export const blank = { title: "", body: "", status: "todo", categoryId: null, dueDate: null, reminders: null };

/**
 * As the controls have them: without line breaks in the title, and with one kind of them in the notes.
 * @param {Task} task @param {App} app @returns {Fields}
 */
export function fieldsOf(task, app) {
  const due = task.dueDate;
  const { zone, categories } = app.model;
  return {
    title: task.title.replace(/\s*[\r\n]+\s*/g, " "), body: task.body.replace(/\r\n?/g, "\n"), status: task.status,
    category: task.categoryId ? categories.get(task.categoryId)?.name ?? "" : "",
    date: due ? dueDay(due, zone) : "", time: due ? dueTime(due, zone) : "", repeat: repeatValue(task.recurrence), reminders: reminderValue(task.reminders),
  };
}

/** @type {(app: App, name: keyof Fields, value: string) => string} a value as people read it */
export const shownField = (app, name, value) => (name === "repeat" ? wordsOf(app, "recurrence", recurrenceOf(value))
  : name === "reminders" ? wordsOf(app, name, remindersOf(value)) : name === "status" ? text[/** @type {Status} */ (value)] : value || text.nothing);

/**
 * Shows another value. The selection stays at its words, between what is the same at the beginning and at the end.
 * @param {any} control @param {string} value
 */
export function replaceValue(control, value) {
  const { value: before, selectionStart: start, selectionEnd: end, selectionDirection } = control;
  control.value = value;
  if (control !== document.activeElement || typeof start !== "number") return;
  const most = Math.min(before.length, value.length);
  let [head, tail] = [0, 0];
  while (head < most && before[head] === value[head]) head += 1;
  while (tail < most - head && before.at(-1 - tail) === value.at(-1 - tail)) tail += 1;
  const moved = (/** @type {number} */ place) => (place <= head ? place : value.length - Math.min(tail, before.length - place));
  control.setSelectionRange(moved(start), moved(end), selectionDirection);
}
