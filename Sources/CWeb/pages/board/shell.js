// The frame of the page: navigation, search, the state of the connection, the filter and messages. And its address, which has the
// screen, the open task and the filter.
import { $, announce, el, icon, select, text } from "./page.js";
import { openMenu, showHelp } from "./menu.js";
import { openIssues, showConflicts } from "./conflicts.js";
import { columns } from "./model.js";

/** The mark of Kanbase, as in icons/icon.svg. */
export function mark() {
  return el("img", { class: "mark", src: "/icons/icon.svg", alt: "", width: 28, height: 28 });
}

export const screens = /** @type {const} */ (["today", "stats", "categories", "trash", "history", "settings", "account"]);

/** @param {App} app */
export function makeShell(app) {
  const link = (/** @type {string | null} */ screen, /** @type {any} */ name) => {
    const label = text.screens[/** @type {keyof typeof text.screens} */ (screen ?? "board")];
    const onclick = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      app.router.go({ screen, task: null });
    };
    return el("a", { href: app.router.address({ screen, task: null }), class: "nav", data: { screen: screen ?? "" }, onclick }, icon(name), el("span", {}, label));
  };
  const search = el("input", { type: "search", id: "search", placeholder: text.search, "aria-label": text.search, autocomplete: "off", enterKeyHint: "search", maxLength: 200 });
  search.addEventListener("input", () => app.router.go({ q: search.value || null, screen: null }, { replace: !app.router.route.screen }));
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !search.value) search.blur();
    if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); app.focusFirst(); }
  });
  const filter = el("button", { id: "filter", class: "nav" }, icon("filter"), el("span", {}, text.filter), el("b", { class: "count", hidden: true }));
  // Opened, closed and named by the browser.
  /** @type {any} */ (filter).popoverTargetElement = app.filters.element;
  const state = el("button", { id: "state", class: "state", onclick: () => stateClicked(app) },
    el("span", { class: "light" }), el("span", { class: "words" }));
  const more = el("button", { class: "nav", id: "more", "aria-haspopup": "menu", "aria-expanded": "false" }, icon("more"), el("span", {}, text.more));
  more.addEventListener("click", () => openMenu(more, [
    ...screens.slice(2).filter((screen) => screen !== "account" || app.session.token !== null)
      .map((screen) => ({ label: text.screens[screen], run: () => app.router.go({ screen, task: null }) })),
    null,
    { label: text.shortcuts, hint: "?", run: showHelp },
    { label: text.api, run: () => { location.href = "/docs"; } },
    ...(app.session.token !== null ? [null, { label: text.logOut, run: () => app.logOut() }] : []),
  ]));
  return [
    el("a", { class: "skip", href: "#main" }, text.skip),
    el("header", { class: "top" },
      el("a", { class: "brand", href: "/", "aria-label": "Kanbase" }, mark(), el("span", {}, "Kanbase")),
      el("nav", { "aria-label": text.navigation }, link(null, "board"), link("today", "today"), link("stats", "stats"), more),
      el("div", { class: "tools" }, el("label", { class: "search" }, icon("search"), search), filter, state)),
    el("main", { id: "main", tabIndex: -1 }),
    app.toasts.element,
    el("div", { id: "announcer", class: "hidden", "aria-live": "polite" }),
  ];
}

/** @param {App} app */
function stateClicked(app) {
  if (openIssues(app) > 0) showConflicts(app);
  else {
    app.engine.retry();
    app.toast(stateWords(app).detail);
  }
}

/** @param {App} app */
export function stateWords(app) {
  const { phase, sending, full } = app.engine.state;
  const detail = app.engine.isOnDisk ? text.offlineDetail : text.diskFault;
  const unsent = app.engine.mirror.outbox.size;
  const issues = openIssues(app);
  if (issues > 0) return { kind: "issues", words: text.issues(issues), detail: text.toAnswerHint };
  if (phase === "offline") return { kind: "offline", words: unsent ? text.offlineUnsent(unsent) : text.offline, detail };
  if (full && unsent > 0) return { kind: "offline", words: text.fullUnsent(unsent), detail: text.problems.quota_exceeded };
  if (unsent > 0) return { kind: "sending", words: sending ? text.sending : text.unsent(unsent), detail };
  if (phase === "loading") return { kind: "loading", words: text.connecting, detail: text.connecting };
  return { kind: "live", words: text.saved, detail: text.savedDetail };
}

/** @param {App} app */
export function showState(app) {
  const button = $("#state");
  if (!button) return;
  const { kind, words } = stateWords(app);
  button.dataset.kind = kind;
  const label = $(".words", button);
  if (label.textContent !== words) label.textContent = words;
  // Screen readers hear of what lasts, not of each edit.
  if (kind !== "sending" && kind !== "loading" && kind !== app.heard) {
    if (app.heard) announce(words);
    app.heard = kind;
  }
  const unsent = app.engine.mirror.outbox.size + openIssues(app);
  const badge = /** @type {any} */ (navigator);
  if (unsent !== app.badge) {
    app.badge = unsent;
    (unsent ? badge.setAppBadge?.(unsent) : badge.clearAppBadge?.())?.catch?.(() => {});
  }
}

/** @param {App} app */
export function showPlace(app) {
  const { screen } = app.router.route;
  for (const link of document.querySelectorAll("a.nav")) {
    const isHere = /** @type {HTMLElement} */ (link).dataset.screen === (screen ?? "");
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  $("#filter").hidden = !!screen;
  const input = $("#search");
  const query = app.router.route.q ?? "";
  if (input.value !== query) input.value = query;
}

/** @param {App} app */
export function makeFilters(app) {
  const chips = el("div", { class: "chips" });
  const narrow = (/** @type {Event} */ { target }) => {
    const { name, value } = /** @type {HTMLSelectElement} */ (target);
    app.router.go({ [name]: value || null }, { replace: true });
  };
  const field = (/** @type {string} */ label, /** @type {HTMLElement} */ control) => el("label", {}, el("span", {}, label), control);
  const due = select({ "aria-label": text.dueFilter, name: "due", onchange: narrow }, [["", text.anyDue], ["overdue", text.overdue], ["today", text.dueToday], ["upcoming", text.upcoming], ["none", text.noDue]]);
  const sort = select({ "aria-label": text.order, name: "sort", onchange: narrow }, [["", text.byHand], ["dueDate", text.byDue], ["-createdAt", text.byCreated], ["-updatedAt", text.byUpdated], ["title", text.byTitle]]);
  let shown = "";
  let said = "";
  let heard = "";

  const toggle = (/** @type {string} */ id) => {
    const chosen = new Set(app.model.chosen);
    if (!chosen.delete(id)) chosen.add(id);
    app.router.go({ category: [...chosen].join(",") || null }, { replace: true });
  };
  const render = () => {
    const { chosen, filter } = app.model;
    due.value = filter.due;
    sort.value = filter.sort === "position" ? "" : filter.sort;
    const count = chosen.length + (filter.due ? 1 : 0);
    const badge = $("#filter .count");
    badge.textContent = String(count);
    badge.hidden = count === 0;
    all.hidden = !app.model.isFiltered;
    const wanted = JSON.stringify([...chosen, filter.due, filter.query]);
    if (said && wanted !== said) {
      const count = columns.reduce((sum, status) => sum + app.model.list(status).length, 0);
      const words = count ? text.taskCount(count) : text.nothingMatches;
      // Not once more with each letter.
      if (words !== heard) announce(words);
      heard = words;
    }
    said = wanted;
    const list = app.model.categoryList;
    const key = JSON.stringify([list.map(({ id, name, color, emoji }) => [id, name, color, emoji]), chosen]);
    if (key === shown) return;
    shown = key;
    const focused = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.category;
    const chip = (/** @type {string} */ id, /** @type {string} */ words, /** @type {string | null} */ color) =>
      el("button", { class: "chip", data: { category: id }, "aria-pressed": chosen.includes(id), style: { "--tint": color ?? "var(--muted)" }, onclick: () => toggle(id) }, words);
    chips.replaceChildren(...list.map(({ id, name, color, emoji }) => chip(id, emoji ? `${emoji} ${name}` : name, color)),
      ...(list.length ? [chip("none", text.none, null)] : []));
    if (focused) $(`[data-category="${focused}"]`, chips)?.focus();
  };
  const all = el("button", { class: "link", onclick: () => app.router.go({ category: null, due: null, q: null }, { replace: true }) }, text.clearFilter);
  return {
    element: el("div", { class: "filters", role: "group", "aria-label": text.filter, popover: "auto" }, chips, el("div", { class: "selects" }, field(text.dueFilter, due), field(text.order, sort)), all),
    render,
  };
}

/** Messages at the bottom of the page. */
export class Toasts {
  constructor() {
    this.element = el("div", { class: "toasts", role: "region", "aria-label": text.messages });
  }

  /** @param {string} message @param {{actions?: [string, () => void][], isFault?: boolean, isStep?: boolean, spoken?: string}} options */
  show(message, { actions = [], isFault = false, isStep = false, spoken = message } = {}) {
    const toast = el("div", { class: `toast ${isFault ? "fault" : ""} ${isStep ? "step" : ""}` }, el("span", {}, message));
    // The way back is that of the last step.
    if (isStep) $(".step", this.element)?.remove();
    // Screen readers do not read what comes into the page together with its words.
    announce(spoken);
    let timer = 0;
    const close = () => { clearTimeout(timer); toast.remove(); };
    const begin = () => { timer = setTimeout(close, actions.length > 0 || isFault ? 10000 : 4500); };
    for (const [label, run] of actions) toast.append(el("button", { class: "link", onclick: () => { close(); run(); } }, label));
    toast.append(el("button", { class: "quiet square", "aria-label": text.close, onclick: close }, icon("close")));
    for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, () => clearTimeout(timer));
    for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, begin);
    this.element.append(toast);
    while (this.element.children.length > 3) this.element.firstElementChild?.remove();
    begin();
  }
}

const routeNames = /** @type {(keyof Route)[]} */ (["screen", "task", "of", "category", "due", "q", "sort"]);

export class Router {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.route = this.read();
    addEventListener("popstate", () => { this.route = this.read(); this.onChange(); });
  }

  /** @returns {Route} */
  read() {
    const query = new URLSearchParams(location.search);
    return /** @type {Route} */ (Object.fromEntries(routeNames.map((name) => [name, query.get(name) || null])));
  }

  /** @param {Partial<Route>} change */
  address(change) {
    const next = { ...this.route, ...change };
    if ("screen" in change && !("of" in change)) next.of = null;
    const query = new URLSearchParams();
    for (const name of routeNames) if (next[name]) query.set(name, /** @type {string} */ (next[name]));
    return `/${String(query) ? `?${query}` : ""}`;
  }

  /** @param {Partial<Route>} change @param {{replace?: boolean}} options */
  go(change, { replace = false } = {}) {
    const address = this.address(change);
    if (address === location.pathname + location.search) return;
    if (replace) history.replaceState(history.state, "", address);
    else history.pushState({ from: location.search }, "", address);
    this.route = this.read();
    this.onChange();
  }

  /**
   * Removes a name from the address, by going back if it came from there, so that Back does not open it again.
   * @param {keyof Route} name
   */
  leave(name) {
    if (!this.route[name]) return;
    const before = history.state?.from;
    if (before !== undefined && !new URLSearchParams(before).get(name)) {
      this.route = { ...this.route, [name]: null };
      history.back();
    } else this.go({ [name]: null }, { replace: true });
  }
}
