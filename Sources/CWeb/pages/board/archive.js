// The archive of finished tasks: what was done two weeks ago or longer, or cleared away by hand, is not on the board. The search finds
// it, and the foot of the column shows it again.
import { el, text } from "./page.js";

export class Archive {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.clearing = el("button", { class: "link", onclick: () => this.clear() }, text.clearDone);
    this.showing = el("button", { class: "link", onclick: () => this.toggle() });
    this.element = el("p", { class: "foot" }, this.clearing, this.showing);
  }

  render() {
    const { model } = this.app;
    const count = model.list("done").length;
    this.clearing.hidden = count === 0 || model.showsArchive || model.isFiltered;
    this.showing.hidden = model.archived === 0 && !model.showsArchive || model.filter.query !== "";
    const words = model.showsArchive ? text.hideArchive : text.showArchive(model.archived);
    if (this.showing.textContent !== words) this.showing.textContent = words;
    this.element.hidden = this.clearing.hidden && this.showing.hidden;
  }

  toggle() {
    const { model } = this.app;
    model.showsArchive = !model.showsArchive;
    model.setFilter({});
    this.app.render();
  }

  clear() {
    const { app } = this;
    const clearedAt = () => app.model.settings.custom?.doneClearedAt ?? null;
    const before = clearedAt();
    // By the tasks' own times: the clock of another device may be wrong.
    const last = app.model.list("done").map(({ completedAt }) => completedAt ?? "").sort().at(-1);
    const title = text.taskCount(app.model.list("done").length);
    const message = text.cleared(title);
    const save = (/** @type {string | null | undefined} */ doneClearedAt) => app.engine.edit([{ type: "settings", op: "patch", id: "settings", value: { custom: { doneClearedAt } } }]);
    save(last);
    app.board?.columns.get("done")?.add.focus();
    // What another device cleared away since stays away.
    const turn = (/** @type {boolean} */ isRedo) => {
      const isOurs = clearedAt() === (isRedo ? before : last);
      if (isOurs) save(isRedo ? last : before);
      return isOurs;
    };
    app.undo.push({ targets: [], before: [], after: [], title, message, turn });
    app.undo.tell(message, text.undo, false);
  }
}
