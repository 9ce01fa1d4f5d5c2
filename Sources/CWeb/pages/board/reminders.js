// Reminders as people choose and read them: durations before the due time (RFC 5545), and instants, each written as the server does.
// Below, the editor's field of them.
import { describeTime, dueTime, fullYear, instant, today } from "./dates.js";
import { el, field, language, refill, select, text } from "./page.js";

const most = 5;
/** The choices that are always shown. */
const usual = ["PT0S", "-PT10M", "-PT1H", "-P1D"];
/** In seconds. */
const units = { minute: 60, hour: 3600, day: 86400, week: 604800 };
const earliest = 30 * units.day;

/** @type {(reminders: string[] | null | undefined) => string} as a field has them, in one order: the server's goes with the due date. Empty is the default. */
export const reminderValue = (reminders) => (reminders ? JSON.stringify(inOrder(reminders)) : "");
/** @type {(value: string | undefined) => string[] | null} */
export const remindersOf = (value) => (value ? JSON.parse(value) : null);

/** @type {(trigger: string) => number[] | null} days, hours, minutes and seconds; null of an instant */
const partsOf = (trigger) => trigger.match(/^-?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/)?.slice(1).map((part) => Number(part ?? 0)) ?? null;

/** @type {(count: number, unit: string) => Intl.NumberFormatPart[]} */
const measured = (count, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).formatToParts(count);
/** @type {(unit: string) => string} */
const unitName = (unit) => measured(5, unit).find(({ type }) => type === "unit")?.value ?? unit;

/** @type {(trigger: string, zone: string) => string} */
function reminderWord(trigger, zone) {
  const counts = partsOf(trigger);
  if (!counts) return describeTime(trigger, zone);
  const words = ["day", "hour", "minute", "second"].map((unit, index) => (counts[index] ? measured(counts[index], unit).map(({ value }) => value).join("") : ""));
  return counts.some(Boolean) ? text.before(words.filter(Boolean).join(" ")) : text.atTime;
}

/** @type {(reminders: string[] | null, zone: string) => string} */
export const reminderWords = (reminders, zone) => (!reminders ? text.byDefault
  : reminders.length ? reminders.map((trigger) => reminderWord(trigger, zone)).join(", ") : text.noReminder);

/** @type {(count: number, unit: keyof typeof units) => string | null} null if the server takes no such reminder */
function triggerOf(count, unit) {
  if (!(Number.isInteger(count) && count > 0 && count * units[unit] <= earliest)) return null;
  if (unit === "day" || unit === "week") return `-P${count * units[unit] / units.day}D`;
  const minutes = count * units[unit] / 60;
  return `-PT${minutes >= 60 ? `${Math.floor(minutes / 60)}H` : ""}${minutes % 60 ? `${minutes % 60}M` : ""}`;
}

/** @type {(reminders: string[]) => string[]} each once, the earliest first, and instants last */
function inOrder(reminders) {
  const order = (/** @type {string} */ trigger) => {
    const [days, hours, minutes, seconds] = partsOf(trigger) ?? [];
    return days === undefined ? [1, Date.parse(trigger), 0] : [0, -(days * 86400 + hours * 3600 + minutes * 60 + seconds), -days];
  };
  return [...new Set(reminders)].map((trigger) => ({ trigger, key: order(trigger) }))
    .sort(({ key: a }, { key: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).map(({ trigger }) => trigger);
}

/**
 * The usual ones, own ones, the default and none. Its value is the JSON of the list, empty for the default, so that the editor
 * compares it like a text.
 */
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
    const count = el("input", { type: "number", form: "none", min: "1", required: true, value: "30" });
    const unit = select({ form: "none" }, Object.keys(units).map((name) => [name, unitName(name)]));
    const at = el("input", { type: "datetime-local", form: "none", required: true, max: "9999-12-31T23:59" });
    // The browser says what is wrong with a value.
    const addBefore = () => count.reportValidity() && this.add(triggerOf(Number(count.value), /** @type {keyof typeof units} */ (unit.value)));
    const addAt = () => {
      const { zone } = this.app.model;
      if (at.value) at.value = fullYear(at.value);
      at.min = `${today(zone)}T${dueTime(new Date().toISOString(), zone)}`;
      if (at.reportValidity()) this.add(instant(at.value.slice(0, 10), at.value.slice(11, 16), zone));
    };
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
