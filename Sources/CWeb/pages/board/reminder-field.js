// The editor's "Reminders": the usual ones, own ones, the default and none. Its value is the JSON of the list, empty for the
// default, so that the editor compares it like a text.
import { fullYear, instant } from "./dates.js";
import { el, field, refill, select, text } from "./page.js";
import { most, reminderValue, remindersOf, reminderWord, triggerOf, unitName, units, usual } from "./reminders.js";

export class ReminderField {
  /** @param {import("./editor.js").Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.app = editor.app;
    this.current = "";
    /** What is shown. */
    this.shown = "";
    this.chips = el("div", { class: "quick", role: "group", "aria-label": text.reminders });
    this.hint = el("p", { class: "quiet-words", role: "status" });
    // Of no form: their values are not checked when the task is saved, and Enter adds them.
    const count = el("input", { type: "number", form: "none", min: "1", value: "30" });
    const unit = select({ form: "none" }, Object.keys(units).map((name) => [name, unitName(name)]));
    const at = el("input", { type: "datetime-local", form: "none", max: "9999-12-31T23:59" });
    const addBefore = () => this.add(triggerOf(Number(count.value), /** @type {keyof typeof units} */ (unit.value)));
    const addAt = () => this.add(at.value ? instant(fullYear(at.value.slice(0, 10)), at.value.slice(11, 16), this.app.model.zone) : null);
    for (const [control, add] of /** @type {const} */ ([[count, addBefore], [unit, addBefore], [at, addAt]])) {
      control.addEventListener("keydown", (/** @type {any} */ event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        event.stopPropagation();
        add();
      });
    }
    const button = (/** @type {string} */ name, /** @type {() => void} */ onclick) => el("button", { "aria-label": name, onclick }, text.add);
    this.element = el("div", { class: "field reminders" }, el("span", { class: "legend" }, text.reminders), this.chips, this.hint,
      el("details", {}, el("summary", {}, text.ownReminder),
        el("div", { class: "row" }, field(text.beforeDue, count), field(text.unit, unit), button(text.addBefore, addBefore)),
        el("div", { class: "row" }, field(text.atInstant, at), button(text.addInstant, addAt))));
  }

  get value() {
    return this.current;
  }

  set value(value) {
    this.current = value;
    this.render();
  }

  focus() {
    this.chips.querySelector("button")?.focus();
  }

  /** @param {Event} event */
  dispatchEvent(event) {
    return this.element.dispatchEvent(event);
  }

  /** Shows the value, and what it means for the due date. */
  render() {
    const { model } = this.app;
    const { date, time } = this.editor.controls;
    const allDay = model.settings.allDayTime ?? "09:00";
    const kind = !date.value ? "none" : time.value ? "time" : "day";
    const key = JSON.stringify([this.current, kind, allDay, model.zone]);
    if (key === this.shown) return;
    this.shown = key;
    const list = remindersOf(this.current);
    const isFull = list !== null && list.length >= most;
    const chip = (/** @type {string} */ words, /** @type {boolean} */ isOn, /** @type {() => void} */ onclick, isDisabled = false) => (
      el("button", { class: "chip", data: { of: words }, "aria-pressed": isOn, disabled: isDisabled, onclick }, words));
    refill(this.chips, () => this.chips.replaceChildren(
      chip(kind === "none" ? text.byDefault : `${text.byDefault}: ${kind === "time" ? text.atTime : allDay}`, list === null, () => this.take(null)),
      ...[...usual, ...(list ?? []).filter((trigger) => !usual.includes(trigger))].map((trigger) => {
        const isOn = list?.includes(trigger) ?? false;
        return chip(reminderWord(trigger, model.zone), isOn, () => (isOn ? this.take(list?.filter((other) => other !== trigger) ?? []) : this.add(trigger)), !isOn && isFull);
      }),
      chip(text.noReminder, list?.length === 0, () => this.take([]))));
    const isRelative = list === null || list.some((trigger) => trigger.includes("P"));
    this.hint.textContent = isFull ? text.reminderLimit : kind === "day" && list?.length ? text.allDayHint(allDay)
      : kind === "none" && list?.length && isRelative ? text.reminderNeedsDate : "";
  }

  /** @param {string | null} trigger null is none that the server takes */
  add(trigger) {
    const list = remindersOf(this.current) ?? [];
    if (!trigger || (list.length >= most && !list.includes(trigger))) this.hint.textContent = text.reminderLimit;
    else this.take([...list, trigger]);
  }

  /** @param {string[] | null} list */
  take(list) {
    this.current = reminderValue(list);
    this.render();
    this.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
