// The editor's "Repeat": the usual rules of the day, an own one, and the days that follow. Its value is the JSON of the recurrence,
// empty without one, so that the editor compares it like a text.
import { announce, el, field, select, text } from "./page.js";
import { describeDay, dueDay, today } from "./dates.js";
import { anchored, firstDay, loose, repeatWords, upcoming, usualRules, weekdayName } from "./repeat.js";
import { readRule, weekdays } from "../client/kanbase.js";

/** @type {(recurrence: Recurrence | null | undefined) => string} */
export const repeatValue = (recurrence) => (recurrence ? JSON.stringify({ rule: recurrence.rule, from: recurrence.from, timeZone: recurrence.timeZone }) : "");
/** @type {(value: string) => any} */
export const recurrenceOf = (value) => (value ? JSON.parse(value) : null);

export class RepeatField {
  /** @param {import("./editor.js").Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.app = editor.app;
    /** @type {HTMLInputElement} */
    this.date = editor.controls.date;
    this.current = "";
    /** What was chosen here. */
    this.chosen = "";
    this.isOwn = false;
    const number = (/** @type {string} */ max) => el("input", { type: "number", min: "1", max });
    this.choice = el("select", { name: "repeat", onchange: () => this.choose() });
    this.interval = number("1000");
    this.unit = select({}, Object.entries(text.units));
    this.days = weekdays.map((value) => el("input", { type: "checkbox", value }));
    this.week = el("div", { class: "row" }, ...this.days.map((box, index) => check(box, weekdayName(index))));
    this.isAfter = el("input", { type: "checkbox" });
    this.until = el("input", { type: "date", max: "9999-12-31" });
    this.times = number("10000");
    this.own = el("div", { class: "own-rule", role: "group", "aria-label": text.ownRule },
      el("div", { class: "pair" }, field(text.every, this.interval), field(text.unit, this.unit)), this.week, check(this.isAfter, text.fromDone),
      el("div", { class: "pair" }, field(text.until, this.until), field(text.times, this.times)));
    this.own.addEventListener("input", ({ target }) => {
      // A rule ends in one way.
      if (target === this.until) this.times.value = "";
      if (target === this.times) this.until.value = "";
      this.take(this.made());
    });
    this.preview = el("p", { class: "quiet-words next-times", role: "status" });
    this.place = el("div");
    this.element = field(text.repeat, this.choice, this.place, this.preview);
    /** The day whose usual rules are offered. */
    this.day = "";
    /** @type {string | null} of new rules */
    this.timeZone = null;
  }

  get value() {
    return this.current;
  }

  set value(value) {
    this.current = value;
    this.timeZone = value ? recurrenceOf(value).timeZone : this.app.model.ruleZone;
    this.isOwn = false;
    this.render();
  }

  focus() {
    this.choice.focus();
  }

  /** @param {string} rule @param {Recurrence["from"]} [from] */
  of(rule, from = "due") {
    return repeatValue({ rule, from, timeZone: this.timeZone });
  }

  /** @param {Event} event */
  dispatchEvent(event) {
    return this.choice.dispatchEvent(event);
  }

  /** Nothing repeats without a date. A usual rule that was chosen here goes with it. */
  moveDay() {
    if (!this.date.value) return void (this.value = "");
    const index = this.day ? usualRules(this.day).map((rule) => this.of(rule)).indexOf(this.current) : -1;
    if (index >= 0 && this.current === this.chosen) this.chosen = this.current = this.of(usualRules(this.date.value)[index]);
    this.render();
  }

  /** Shows the value, what can be chosen for the day, and what follows. */
  render() {
    const { zone, tasks } = this.app.model;
    // While a date is typed, it may be none.
    this.day = this.date.value || this.day;
    this.until.min = this.date.value;
    const rules = new Set(usualRules(this.day || today(zone)).map((rule) => this.of(rule)));
    if (this.current && !this.isOwn) rules.add(this.current);
    this.choice.replaceChildren(...[["", text.noRepeat], ...[...rules].map((value) => [value, repeatWords(recurrenceOf(value), zone)]),
      ["after", text.afterDone], ["own", text.ownRule]].map(([value, words]) => el("option", { value }, words)));
    this.choice.value = this.isOwn ? "own" : this.current;
    if (!this.isOwn) this.own.remove();
    else if (!this.own.parentNode) this.place.append(this.own);
    const due = this.editor.due();
    this.preview.hidden = !this.current || !due;
    if (!this.current || !due) return;
    const days = upcoming(recurrenceOf(this.current), due, zone, tasks.get(this.editor.id)).map((day) => describeDay(dueDay(day, zone), today(zone)));
    this.preview.textContent = days.length ? text.nextTimes(days.join(" · ")) : text.lastTime;
  }

  choose() {
    const { value } = this.choice;
    this.isOwn = value === "after" || value === "own";
    if (this.isOwn) this.fill(value === "after" ? this.of("FREQ=DAILY;INTERVAL=3", "completion") : this.current || this.of("FREQ=WEEKLY"));
    this.take(this.isOwn ? this.made() : value);
    if (this.isOwn) this.interval.focus();
  }

  /** @param {string} value */
  take(value) {
    this.chosen = this.current = value;
    if (value && !this.date.value) {
      this.date.value = firstDay(recurrenceOf(value).rule, today(this.app.model.zone));
      announce(text.dateFilled(this.date.value));
    }
    this.render();
  }

  /** @param {string} value  for the controls of an own rule; what they do not have is left out */
  fill(value) {
    const { rule: written, from } = recurrenceOf(value);
    const rule = readRule(written);
    if (!rule) return;
    this.interval.value = String(rule.interval);
    this.unit.value = rule.frequency;
    this.days.forEach((box, index) => { box.checked = rule.weekdays.some(({ weekday }) => weekday === index); });
    this.isAfter.checked = from === "completion";
    this.until.value = rule.until ? dueDay(rule.until, this.app.model.zone) : "";
    this.times.value = rule.count ? String(rule.count) : "";
  }

  /** The recurrence of these controls. */
  made() {
    const { interval, unit, days, week, isAfter, until, times } = this;
    week.hidden = unit.value !== "WEEKLY";
    const whole = (/** @type {HTMLInputElement} */ { value, max }) => Math.min(Number(max), Math.max(0, Math.round(Number(value))));
    const by = week.hidden ? "" : days.filter(({ checked }) => checked).map(({ value }) => value).join();
    const start = `FREQ=${unit.value}${whole(interval) > 1 ? `;INTERVAL=${whole(interval)}` : ""}${by && `;BYDAY=${by}`}`;
    const rule = isAfter.checked ? loose(start) : anchored(start, this.date.value || today(this.app.model.zone));
    const end = until.value ? `;UNTIL=${until.value.replaceAll("-", "")}` : whole(times) ? `;COUNT=${whole(times)}` : "";
    return this.of(rule + end, isAfter.checked ? "completion" : "due");
  }
}

/** @type {(box: HTMLElement, words: string) => HTMLElement} */
const check = (box, words) => el("label", { class: "check" }, box, el("span", {}, words));
