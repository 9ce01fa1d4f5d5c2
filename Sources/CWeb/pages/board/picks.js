// Several cards at once: picked with Ctrl, Shift, `x` or the menu of a card. A bar at the bottom does something with all of them, as
// one step.
import { act } from "./actions.js";
import { addDays, dueTime, instant, today, weekday } from "./dates.js";
import { openMenu } from "./menu.js";
import { between, noDraft } from "../client/kanbase.js";
import { columns } from "./model.js";
import { $, announce, el, icon, text } from "./page.js";

export class Picks {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Set<string>} */
    this.ids = new Set();
    /** From which Shift goes on. */
    this.anchor = "";
    this.count = el("strong", {});
    /** @param {string} label @param {() => (MenuItem)[]} items */
    const choice = (label, items) => {
      const button = el("button", { "aria-haspopup": "menu", "aria-expanded": "false" }, label);
      button.addEventListener("click", () => openMenu(button, items()));
      return button;
    };
    this.element = el("div", { class: "picks", role: "group", "aria-label": text.picked, hidden: true }, this.count,
      choice(text.column, () => columns.map((status) => ({ label: text[status], run: () => this.move(status) }))),
      choice(text.category, () => [{ label: text.none, run: () => this.patch({ categoryId: null }) },
        ...app.model.categoryList.map(({ id, name, emoji }) => ({ label: emoji ? `${emoji} ${name}` : name, run: () => this.patch({ categoryId: id }) }))]),
      choice(text.date, () => this.dates().map(([label, day]) => ({ label, run: () => this.setDay(day) }))),
      el("button", { class: "danger", onclick: () => this.remove() }, text.remove),
      el("button", { class: "quiet square", "aria-label": text.unpick, title: `${text.unpick} (Esc)`, onclick: () => this.clear() }, icon("close")));
  }

  /** The tasks, in the order of the board. */
  get tasks() {
    return columns.flatMap((status) => this.app.model.list(status)).filter(({ id }) => this.ids.has(id));
  }

  /** @returns {[string, string | null][]} */
  dates() {
    const day = today(this.app.model.zone);
    return [[text.today, day], [text.tomorrow, addDays(day, 1)], [text.nextWeek, weekday(1, day, "next")], [text.removeDate, null]];
  }

  /**
   * True if a click on a card picks it. A finger has no Ctrl: once one card is picked, it picks others.
   * @param {MouseEvent} event @param {string} id
   */
  takes(event, id) {
    if (event.shiftKey && this.anchor) this.pickTo(id);
    else if (event.ctrlKey || event.metaKey || event.shiftKey || (this.ids.size > 0 && /** @type {PointerEvent} */ (event).pointerType === "touch")) this.toggle(id);
    else return false;
    getSelection()?.removeAllRanges();
    return true;
  }

  /** @param {string} id */
  toggle(id) {
    this.anchor = this.ids.delete(id) ? "" : id;
    if (this.anchor) this.ids.add(id);
    this.changed();
  }

  /**
   * All cards from the last one that was picked up to this one, in one column.
   * @param {string} id
   */
  pickTo(id) {
    const list = columns.map((status) => this.app.model.list(status)).find((tasks) => tasks.some((task) => task.id === id)) ?? [];
    const [from, to] = [this.anchor, id].map((end) => list.findIndex((task) => task.id === end));
    if (from < 0) return this.toggle(id);
    for (const task of list.slice(Math.min(from, to), Math.max(from, to) + 1)) this.ids.add(task.id);
    this.changed();
  }

  clear() {
    const hadFocus = this.element.contains(document.activeElement);
    const [last] = this.tasks.slice(-1);
    this.ids.clear();
    this.anchor = "";
    this.changed();
    if (hadFocus && last) this.app.board?.focus(last.id);
  }

  changed() {
    announce(this.ids.size > 0 ? text.pickedCount(this.ids.size) : text.unpick);
    this.app.render();
  }

  /** What a filter hides, or somebody deleted, is not changed unseen. */
  render() {
    if (this.ids.size > 0) this.ids = new Set(this.tasks.map(({ id }) => id));
    if (!this.ids.has(this.anchor)) this.anchor = "";
    const isShown = this.ids.size > 0;
    if (this.element.hidden === isShown) {
      this.element.hidden = !isShown;
      document.documentElement.classList.toggle("picking", isShown);
    }
    if (isShown) this.count.textContent = text.pickedCount(this.ids.size);
  }

  /** @param {Status} status */
  move(status) {
    let last = this.app.model.column(status).at(-1)?.position ?? null;
    const moves = this.tasks.filter((task) => task.status !== status).map(({ id }) => {
      last = between(last, null);
      return /** @type {Intent} */ ({ type: "task", op: "move", id, value: { status, place: "last" }, position: last });
    });
    this.step(moves, { say: () => text.movedAll(text.taskCount(moves.length), text[status]), clears: true });
  }

  /**
   * To a place on the board, in their order.
   * @param {Where & {status: Status}} where beside a card that is not picked
   */
  moveTo({ status, ...where }) {
    const others = this.app.model.column(status).filter(({ id }) => !this.ids.has(id));
    const anchor = others.findIndex(({ id }) => id === (where.before ?? where.after));
    const index = anchor < 0 ? others.length : where.before ? anchor : anchor + 1;
    let last = others[index - 1]?.position ?? null;
    let before = "";
    const moves = this.tasks.map(({ id }) => {
      last = between(last, others[index]?.position ?? null);
      const value = { status, ...(before ? { after: before } : where) };
      before = id;
      return /** @type {Intent} */ ({ type: "task", op: "move", id, value, position: last });
    });
    this.step(moves, { say: () => text.movedAll(text.taskCount(moves.length), text[status]), clears: true });
  }

  /** @param {string | null} day */
  setDay(day) {
    const { zone } = this.app.model;
    this.step(this.tasks.map((task) => {
      const time = task.dueDate && dueTime(task.dueDate, zone);
      const dueDate = day && time ? instant(day, time, zone) : day;
      // Without a date nothing comes back.
      const value = { dueDate, ...(!day && task.recurrence && { recurrence: null }) };
      return /** @type {Intent} */ ({ type: "task", op: "patch", id: task.id, value });
    }));
  }

  /** @param {Record<string, any>} value */
  patch(value) {
    this.step(this.tasks.map(({ id }) => /** @type {Intent} */ ({ type: "task", op: "patch", id, value })));
  }

  remove() {
    const { tasks } = this;
    const drafts = tasks.flatMap(({ id }) => [`task:${id}`, `rename:${id}`]).filter((key) => this.app.engine.mirror.draft.has(key));
    this.step(tasks.map(({ id }) => ({ type: "task", op: "delete", id })), { say: () => text.removed(text.taskCount(tasks.length)), also: drafts.map(noDraft), clears: true });
  }

  /**
   * @param {Intent[]} intents
   * @param {{say?: () => string, also?: Change[], clears?: boolean}} options `clears`: the cards are no longer picked
   */
  step(intents, { say = () => text.changed(text.taskCount(intents.length)), also = [], clears = false } = {}) {
    const { app } = this;
    if (intents.length === 0) return this.clear();
    const hadFocus = this.element.contains(document.activeElement) || document.activeElement === document.body;
    act(app, intents.map(({ id }) => ({ type: "task", id })), intents, { also, title: text.taskCount(intents.length), say });
    if (!clears) return;
    this.ids.clear();
    app.render();
    if (hadFocus) $(".cards .open[tabindex='0']", app.board?.element ?? document)?.focus();
  }
}
