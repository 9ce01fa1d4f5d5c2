// The board: three columns of cards; only what differs from the model is updated. An element is made once and updated in place.
import { $, el, icon, text } from "./page.js";
import { AddForm, openAdd } from "./add.js";
import { Archive } from "./archive.js";
import { describeDue, today } from "./dates.js";
import { picture } from "./answers.js";
import { columns } from "./model.js";
import { repeatMark } from "./repeat.js";
import { welcome } from "./welcome.js";
import { plain } from "./words.js";
import { arrange, glide, inSight } from "./glide.js";

/** How many cards a column shows at first, and how many more each time that its end comes near. */
const firstPage = 20;
const pageSize = 60;

export class Board {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Map<string, HTMLElement>} */
    this.cards = new Map();
    /** @type {Map<Status, Column>} */
    this.columns = new Map();
    /** Ends what the window knows of this board, when another screen takes its place. */
    this.gone = new AbortController();
    /** True if cards are being moved: their focus is lost. */
    this.isMoving = false;
    /** True if others changed something since. */
    this.glides = false;
    this.element = el("div", { class: "board", id: "board" });
    this.tabs = el("div", { class: "tabs" });
    this.round = el("button", { class: "primary round", "aria-label": text.keyAdd, onclick: () => openAdd(app) }, icon("plus"));
    this.growing = new IntersectionObserver((entries) => this.grow(entries), { rootMargin: "600px" });
    for (const status of columns) this.makeColumn(status);
    this.element.addEventListener("focusin", (event) => this.rove(/** @type {HTMLElement} */ (event.target)));
    // Print all cards, not only the rendered ones.
    addEventListener("beforeprint", () => this.showAll(), { signal: this.gone.signal });
    this.render();
  }

  /** @param {Status} status */
  makeColumn(status) {
    const count = el("span", { class: "count" });
    const list = el("ol", { class: "cards", "aria-label": text[status] });
    const empty = el("p", { class: "empty" });
    const end = el("div", { class: "end" });
    const add = new AddForm(this.app, status);
    const archive = status === "done" ? new Archive(this.app) : null;
    const section = el("section", { class: "column", data: { column: status }, "aria-label": text[status] },
      el("div", { class: "top-of-column" },
        el("h2", {}, el("span", { class: `dot ${status}` }), el("span", { class: "name" }, text[status]), " ", count), add.button),
      add.form, el("div", { class: "scroll" }, list, empty, end, archive?.element));
    const tab = el("button", { class: "tab", data: { tab: status }, onclick: () => this.reveal(section) },
      text[status], " ", el("span", { class: "count" }));
    this.tabs.append(tab);
    this.element.append(section);
    this.columns.set(status, { section, list, count, empty, end, shown: firstPage, add, archive });
    this.growing.observe(end);
    new IntersectionObserver((entries) => {
      for (const entry of entries) tab.setAttribute("aria-pressed", String(entry.intersectionRatio > 0.6));
    }, { root: this.element, threshold: [0, 0.6, 1] }).observe(section);
  }

  /** @returns {HTMLElement} on a phone, the one that is shown */
  columnInSight() {
    const sections = [...this.columns.values()].map(({ section }) => section);
    return sections.find((section) => section.getBoundingClientRect().right > 48) ?? sections[0];
  }

  /** @param {HTMLElement} section */
  reveal(section) {
    const { matches: isCalm } = matchMedia("(prefers-reduced-motion: reduce)");
    section.scrollIntoView({ inline: "start", block: "nearest", behavior: isCalm ? "auto" : "smooth" });
  }

  render() {
    const isFirst = this.cards.size === 0;
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const before = this.glides ? inSight(this) : null;
    this.glides = false;
    this.isMoving = true;
    const isMoved = columns.map((status) => this.renderColumn(status)).includes(true);
    // For benchmarks.
    if (isFirst && this.cards.size > 0) performance.mark("first-card");
    for (const [id, card] of this.cards) {
      if (!this.app.model.tasks.has(id)) { card.remove(); this.cards.delete(id); }
    }
    this.isMoving = false;
    if (isMoved && before?.size) glide(this, before);
    // A card that moved within the document lost the focus, and one that left it keeps no title that is being typed.
    if (active === document.activeElement) return;
    if (active?.isConnected) active.focus({ preventScroll: true });
    else active?.dispatchEvent(new Event("blur"));
  }

  /** @param {Status} status @returns {boolean} whether a card changed its place */
  renderColumn(status) {
    const column = /** @type {Column} */ (this.columns.get(status));
    const tasks = this.app.model.list(status);
    const wanted = [];
    const { model, engine } = this.app;
    const day = today(model.zone);
    for (const task of tasks.slice(0, column.shown)) {
      const card = this.cards.get(task.id) ?? makeCard(task.id);
      this.cards.set(task.id, card);
      showCard(card, task, model, engine.mirror.draft.has(`task:${task.id}`), day, this.app.picks.ids.has(task.id));
      wanted.push(card);
    }
    const isMoved = arrange(column.list, wanted);
    const count = String(tasks.length);
    if (column.count.textContent !== count) {
      column.count.textContent = count;
      $(`[data-tab=${status}] .count`, this.tabs).textContent = count;
    }
    column.end.hidden = tasks.length <= column.shown;
    column.empty.hidden = tasks.length > 0;
    if (tasks.length === 0) this.showEmpty(column.empty, status);
    column.archive?.render();
    if (wanted.length > 0 && !$("[tabindex='0']", column.list)) this.rove($(".open", wanted[0]));
    return isMoved;
  }

  /** @param {HTMLElement} empty @param {Status} status */
  showEmpty(empty, status) {
    const { app } = this;
    if (app.engine.state.phase === "loading" && app.model.tasks.size === 0) return void (empty.textContent = text.loading);
    if (!app.model.isFiltered) {
      const isFirst = status === "todo" && app.model.tasks.size === 0 && app.engine.mirror.outbox.size === 0;
      return empty.replaceChildren(text.empty[status], ...(isFirst ? [" ", welcome(app)] : []));
    }
    empty.replaceChildren(text.nothingMatches, " ",
      el("button", { class: "link", onclick: () => app.router.go({ category: null, due: null, q: null }) }, text.clearFilter));
  }

  /** Where it is scrolled to. */
  get place() {
    return { left: this.element.scrollLeft, columns: [...this.columns.values()].map(({ section, shown }) => ({ shown, top: $(".scroll", section).scrollTop })) };
  }

  /** @param {Board["place"]} place */
  resume({ left, columns: before }) {
    const all = [...this.columns.values()];
    all.forEach((column, index) => { column.shown = before[index].shown; });
    this.render();
    const scroll = () => {
      this.element.scrollLeft = left;
      all.forEach(({ section }, index) => { $(".scroll", section).scrollTop = before[index].top; });
    };
    scroll();
    // Cards that were out of sight have only a guessed height before.
    requestAnimationFrame(scroll);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  grow(entries) {
    for (const entry of entries) {
      const column = [...this.columns.values()].find(({ end }) => end === entry.target);
      if (!column || !entry.isIntersecting) continue;
      column.shown += pageSize;
      this.app.refresh();
      // Observed again, in case there is more room.
      this.growing.unobserve(column.end);
      requestAnimationFrame(() => this.growing.observe(column.end));
    }
  }

  showAll() {
    for (const column of this.columns.values()) column.shown = Infinity;
    this.render();
  }

  /**
   * One card a column can be reached with Tab, the arrows go on from there.
   * @param {HTMLElement | null} target
   */
  rove(target) {
    const card = target?.closest?.(".card");
    const list = card?.closest(".cards");
    if (!card || !list) return;
    for (const old of list.querySelectorAll("[tabindex='0']")) if (!card.contains(old)) /** @type {HTMLElement} */ (old).tabIndex = -1;
    for (const control of card.querySelectorAll("button")) control.tabIndex = 0;
  }

  /**
   * The card of a task, made and in the document.
   * @param {string} id
   */
  cardOf(id) {
    const task = this.app.model.tasks.get(id);
    const column = task && this.columns.get(task.status);
    if (!task || !column) return null;
    const index = this.app.model.list(task.status).findIndex((other) => other.id === id);
    if (index < 0) return null;
    if (index >= column.shown) column.shown = index + pageSize;
    const known = this.cards.get(id);
    if (known?.closest(".column") === column.section) return known;
    this.render();
    return this.cards.get(id) ?? null;
  }

  /**
   * Scrolls to a card, marks it for a moment and, if asked, puts the focus on it.
   * @param {string} id
   * @param {{focus?: boolean}} options
   */
  show(id, { focus = true } = {}) {
    const card = this.cardOf(id);
    if (!card) return false;
    const column = /** @type {HTMLElement} */ (card.closest(".column"));
    const { left, right } = column.getBoundingClientRect();
    const isAside = left < 0 || right > innerWidth + 1;
    if (isAside) column.scrollIntoView({ inline: "start", block: "nearest" });
    card.scrollIntoView({ block: "nearest", inline: "nearest" });
    // Cards out of sight have only a guessed height; now that it is known, scroll exactly.
    requestAnimationFrame(() => card.scrollIntoView({ block: "nearest", inline: "nearest" }));
    card.classList.add("arrived");
    card.addEventListener("animationend", () => card.classList.remove("arrived"), { once: true });
    if (focus) $(".open", card).focus({ preventScroll: true });
    return true;
  }

  /** @param {string} id */
  focus(id) {
    const card = this.cards.get(id);
    if (card?.isConnected) $(".open", card).focus();
  }
}

/** @param {string} id */
function makeCard(id) {
  const check = el("button", { class: "tick", tabIndex: -1 }, icon("check"));
  const open = el("button", { class: "open", tabIndex: -1 });
  const menu = el("button", { class: "more", tabIndex: -1, "aria-haspopup": "menu" }, icon("more"));
  return el("li", { class: "card", data: { id } }, check, el("div", { class: "said" }, open, el("p", { class: "body" }), el("p", { class: "line" })), menu);
}

/**
 * The inputs of each card. A changed task is a new object, so comparing is cheap.
 * @type {WeakMap<HTMLElement, any[]>}
 */
const looks = new WeakMap();

/** @param {HTMLElement} card @param {Task} task @param {Model} model @param {boolean} hasDraft @param {string} day today @param {boolean} isPicked */
function showCard(card, task, model, hasDraft, day, isPicked) {
  const category = task.categoryId ? model.categories.get(task.categoryId) : undefined;
  const isUnsent = model.unsent.has(task.id);
  const { zone } = model;
  const now = [task, category, isUnsent, hasDraft, day, zone, isPicked];
  const before = looks.get(card);
  if (before && now.every((part, index) => part === before[index])) return;
  looks.set(card, now);
  card.dataset.status = task.status;
  card.classList.toggle("picked", isPicked);
  const [check, open, body, line, menu] = [".tick", ".open", ".body", ".line", ".more"].map((selector) => $(selector, card));
  // While the title is being typed, it is not there.
  if (open) open.textContent = task.title;
  body.textContent = plain(task.body);
  body.hidden = task.body === "";
  line.replaceChildren();
  if (category) {
    const { name, emoji, image, color } = category;
    line.append(el("span", { class: "category", style: { "--tint": color ?? "var(--muted)" } }, image ? picture(image) : emoji && `${emoji} `, name));
  }
  const isDone = task.status === "done";
  if (task.dueDate && !isDone) {
    const due = describeDue(task.dueDate, zone);
    line.append(el("time", { class: `due ${due.urgency}`, dateTime: task.dueDate }, due.label, due.days !== 0 && el("span", { class: "dday" }, due.dDay)));
  }
  if (task.recurrence) (line.lastElementChild ?? line).append(repeatMark(task.recurrence, zone));
  if (hasDraft) line.append(el("span", { class: "draft" }, text.draft));
  if (isUnsent) line.append(el("span", { class: "unsent", title: text.notSentYet }, "↑", el("span", { class: "hidden" }, text.notSentYet)));
  if (isPicked) line.append(el("span", { class: "hidden" }, text.picked));
  line.hidden = !line.firstChild;
  check.setAttribute("aria-label", (isDone ? text.markUndone : text.markDone)(task.title));
  menu.setAttribute("aria-label", text.moreOf(task.title));
}

/** @param {{name: string, color: string | null, emoji: string | null, image?: string | null}} category */
export function categoryPill({ name, color, emoji, image }) {
  return el("span", { class: "pill category", style: { "--tint": color ?? "var(--muted)" } }, image && picture(image), emoji && !image ? `${emoji} ${name}` : name);
}
