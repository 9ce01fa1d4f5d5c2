// Puts the page together: the session, the engine, the model, the frame and the screens.
import { Engine, ownCount, Problem } from "../client/kanbase.js";
import { clearPage, call, connection, endSession, eraseOthers, followOtherTabs, isCurrent, probe, storedSession, takeNote } from "./api.js";
import { rename } from "./add.js";
import { Board } from "./board.js";
import { tick, Undo } from "./actions.js";
import { untilMidnight } from "./dates.js";
import { setUpDrag } from "./drag.js";
import { Editor } from "./editor.js";
import { $, chooseTheme, el, hasTexts, keepFiles, keepLanguage, language, languageOf, text } from "./page.js";
import { album } from "./answers.js";
import { returned } from "./providers.js";
import { followNotices } from "./notices.js";
import { openCardMenu, setUpKeys } from "./menu.js";
import { dues, Model, sorts } from "./model.js";
import { makeFilters, makeShell, Router, screens, showPlace, showState, Toasts } from "./shell.js";
import { Picks } from "./picks.js";
import { openStore } from "./store.js";

export class App {
  /** @param {Session} current @param {Engine} engine */
  constructor(current, engine) {
    this.session = current;
    this.engine = engine;
    this.model = new Model(engine);
    this.toasts = new Toasts();
    this.undo = new Undo(this);
    this.picks = new Picks(this);
    this.router = new Router(() => this.followAddress());
    this.filters = makeFilters(this);
    /** @type {Board["place"] | undefined} where the board was left */
    this.place = undefined;
    /** @type {Board | null} */
    this.board = null;
    /** @type {Editor | null} */
    this.editor = null;
    this.badge = -1;
    this.heard = "";
    this.zone = ""; // whose midnight is waited for
    this.isRendering = false;
    this.isChangingLanguage = false;
    this.shownScreen = "";
    this.leaveScreen = () => {};
    this.renewing = /** @type {Promise<void> | undefined} */ (undefined);
  }

  async start() {
    connection.token = this.session.token;
    album.engine = this.engine;
    connection.ended = () => { this.editor?.save(); endSession(this.engine, { note: "ended" }); };
    this.engine.onChange = (changes, isOther) => {
      const isEdit = changes.some(({ store, value }) => store === "outbox" && value);
      // What others moved in the same frame glides; an own edit after it does not.
      if (isEdit && !isOther && this.board?.glides) this.render();
      this.model.take(changes);
      if (this.board) this.board.glides ||= isOther || changes.some(({ store }) => store === "task");
      // Edits are rendered synchronously: the page never shows "saved" after one.
      if (isEdit) this.render();
      else this.refresh();
    };
    let wasFull = false;
    this.engine.onState = () => {
      const { full, phase } = this.engine.state;
      // Once; if it fails, the next start tries it again.
      if (phase === "live") this.renewing ??= loadScreens().then(({ renew }) => renew()).catch(() => {});
      if (full && !wasFull) this.toast(text.problems.quota_exceeded, { isFault: true });
      wasFull = full;
      this.refresh();
    };
    this.engine.onDiskFault = () => this.toast(text.diskFault, { isFault: true });
    await this.engine.start();
    wasFull = this.engine.state.full;
    this.model.begin();
    if (await this.changeLanguage()) return;
    chooseTheme(this.model.settings.custom?.theme);
    document.body.replaceChildren(...makeShell(this));
    setUpKeys(this);
    this.followAddress();
    followNotices(this);
    document.addEventListener("visibilitychange", () => {
      // The day may have changed while the device slept.
      if (document.hidden) this.editor?.save();
      else { this.model.setFilter({}); this.refresh(); }
    });
    addEventListener("pagehide", () => { this.editor?.save(); this.engine.tellUnsent(); });
    addEventListener("beforeunload", (event) => {
      // Without storage they would be lost. After a log-out they are already, and staying would leave an empty page.
      if (isCurrent() && !this.engine.isOnDisk && ownCount(this.engine.mirror) > 0) event.preventDefault();
    });
  }

  followAddress() {
    const { route } = this.router;
    this.model.setFilter({
      categories: new Set(route.category?.split(",") ?? []), due: dues.find((name) => name === route.due) ?? "", query: route.q ?? "", sort: sorts.find((name) => name === route.sort) ?? "position",
    });
    const screen = screens.find((name) => name === route.screen);
    const key = `${screen ?? ""} ${route.of ?? ""}`;
    if (key !== this.shownScreen || !$("#main")?.firstChild) {
      const isFirst = this.shownScreen === "";
      this.shownScreen = key;
      this.leaveScreen();
      this.leaveScreen = () => {};
      // Back was pressed over a sheet.
      $("dialog:not(.editor)")?.close();
      const main = $("#main");
      // Before the look of the screen takes its scrolling away.
      this.place = this.board?.place ?? this.place;
      main.className = screen ? "page" : "home";
      // A screen without a control can be scrolled with the keyboard too.
      main.tabIndex = screen ? 0 : -1;
      if (screen) {
        this.board?.gone.abort();
        this.board = null;
        main.replaceChildren();
        document.title = `${text.screens[screen]} · Kanbase`;
        if (!isFirst) main.focus();
        this.showScreen(screen, main);
      } else this.showBoard(main);
    }
    showPlace(this);
    if (route.task && this.editor?.id !== route.task) this.openEditor(route.task);
    if (!route.task && this.editor) { this.editor.close(); this.editor = null; }
    this.render();
  }

  /**
   * The screens beside the board come after the first card, so that it need not wait for them.
   * @param {typeof screens[number]} name @param {HTMLElement} main
   */
  async showScreen(name, main) {
    let isLeft = false;
    this.leaveScreen = () => { isLeft = true; };
    try {
      const { all } = await loadScreens();
      if (!isLeft) this.leaveScreen = all[name](this, main) ?? (() => {});
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      if (!isLeft) main.replaceChildren(el("p", { class: "note", role: "status" }, text.needsConnection));
    }
  }

  /** @param {HTMLElement} main */
  showBoard(main) {
    document.title = "Kanbase";
    this.board = new Board(this);
    const { element, tabs, round, gone } = this.board;
    element.addEventListener("click", (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      const id = /** @type {HTMLElement | null} */ (target.closest(".card"))?.dataset.id;
      if (!id || target.closest("textarea")) return;
      const more = /** @type {HTMLElement | null} */ (target.closest(".more"));
      if (more) openCardMenu(this, id, more);
      else if (target.closest(".tick")) tick(this, id);
      else if (this.picks.takes(event, id)) return;
      else if (event.detail < 2 && !String(getSelection()).trim()) this.router.go({ task: id });
    });
    setUpDrag(this, element, gone);
    main.replaceChildren(el("h1", { class: "hidden" }, text.screens.board), this.filters.element, tabs, element, this.picks.element, round);
    if (this.place) this.board.resume(this.place);
  }

  /** @param {string} id */
  openEditor(id) {
    this.editor?.close();
    const isKnown = this.model.tasks.has(id) || this.engine.mirror.draft.has(`task:${id}`);
    if (!isKnown && this.engine.state.phase === "loading") return;
    if (!isKnown) {
      this.toast(text.noSuchTask, { isFault: true });
      return this.router.go({ task: null }, { replace: true });
    }
    this.editor = new Editor(this, id);
  }

  /** Renders once before the next frame, however many changes come. */
  refresh() {
    if (this.isRendering) return;
    this.isRendering = true;
    const run = () => { if (this.isRendering) this.render(); };
    // Hidden pages have no animation frames.
    if (document.hidden) setTimeout(run, 50);
    else requestAnimationFrame(run);
  }

  render() {
    this.isRendering = false;
    if (!$("#main")) return;
    this.changeLanguage();
    chooseTheme(this.model.settings.custom?.theme);
    if (this.board) this.picks.render();
    this.board?.render();
    if (this.board) this.filters.render();
    if (this.editor?.dialog.open) this.editor.takeIn();
    const { task } = this.router.route;
    if (task && !this.editor) this.openEditor(task);
    if (this.zone !== this.model.zone) this.passMidnight();
    showState(this);
  }

  /** Reloads the page in the account's language, once its texts can be had and all edits are on disk; a browser that keeps nothing would forget it. Tells whether it does. */
  async changeLanguage() {
    const { locale } = this.model.settings;
    const next = languageOf(locale);
    if (next === language) keepLanguage(locale);
    if (next === language || this.isChangingLanguage || !(localStorage instanceof Storage)) return false;
    this.isChangingLanguage = true;
    this.isChangingLanguage = await hasTexts(next);
    if (!this.isChangingLanguage) return false;
    await this.engine.writing;
    keepLanguage(locale);
    location.reload();
    return true;
  }

  /** @param {(stores: Set<string>) => void} watcher @returns {() => void} stops it */
  watch(watcher) {
    this.model.watchers.add(watcher);
    return () => this.model.watchers.delete(watcher);
  }

  /** The day changes while the page is open. */
  passMidnight() {
    clearTimeout(this.midnight);
    this.zone = this.model.zone;
    this.midnight = setTimeout(() => { this.model.setFilter({}); this.refresh(); this.passMidnight(); }, Math.min(untilMidnight(this.zone) + 500, 3600000));
  }

  /** @param {string} message @param {Parameters<Toasts["show"]>[1]} [options] */
  toast(message, options) { this.toasts.show(message, options); }

  /** @param {() => Promise<any>} action shows a message when it fails */
  async attempt(action) {
    try {
      await action();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status !== 401) this.toast(problem.message, { isFault: true });
    }
  }

  /** @param {string} id */
  rename(id) {
    const card = this.board?.cardOf(id);
    if (card) rename(this, id, card);
  }

  /**
   * Shows a task that the filter hides.
   * @param {string} id
   */
  reveal(id) {
    this.router.go({ screen: null, category: null, due: null, q: null });
    this.board?.show(id);
  }

  focusSearch() { $("#search").focus(); $("#search").select(); }

  focusFirst() { $(".cards .open")?.focus(); }

  async logOut() {
    const count = ownCount(this.engine.mirror);
    if (count > 0 && !confirm(text.loseOwn(count))) return;
    clearPage();
    // First here: the other tabs, whose streams end too, say otherwise that their words stay.
    localStorage.clear();
    await call("DELETE", "/sessions/current", { seconds: 5, quiet: true }).catch(() => {});
    await endSession(this.engine, { erase: true });
  }
}

const loadScreens = () => import("./screens.js");

async function main() {
  followOtherTabs();
  const current = storedSession();
  const note = takeNote();
  if (current) return openApp(current);
  try {
    const open = await probe();
    if (open) return openApp(open);
    eraseOthers();
    const { showLogin } = await import("./login.js");
    await showLogin({
      mode: new URLSearchParams(location.search).has("invitation") ? "signUp" : "logIn",
      note: note === "ended" ? text.sessionEnded : "", returned,
      done: () => openApp(/** @type {Session} */ (storedSession())),
    });
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    document.body.replaceChildren(el("main", { class: "entry" }, el("p", {}, problem.message),
      el("button", { class: "primary", onclick: () => location.reload() }, text.tryAgain)));
  }
}

/** @param {Session} current */
async function openApp(current) {
  return new App(current, new Engine(openStore(current.account), connection)).start();
}

keepFiles(main(), loadScreens);
