// The board of an app: what is shown, as live values, and the edits, which show at once and are sent when the server can be reached.
import { Access } from "./access.js";
import { catchUp } from "./catch-up.js";
import { closed, missing, Problem, uuid } from "./connection.js";
import { addImage, readImage, removeImage } from "./images.js";
import { keepMine, reasonFor, takeTheirs } from "./issues.js";
import { frozen, Live, Source } from "./live.js";
import { positionIn, stateOf, turn, valueOf } from "./steps.js";
import { remembered, trashPaths } from "./trash.js";
import { comparison, isFound, Views } from "./views.js";
import { searchTerms } from "./words.js";

/** @typedef {import("../kanbase.js").TaskFields} TaskFields */
/** @typedef {import("../kanbase.js").TaskQuery} TaskQuery */
/** @typedef {{target: Target, before: Stand, after: Stand}} Done */

export class Board {
  #engine;
  #views;
  #source;
  #access;
  /** @type {Done[]} newest last */
  #done = [];
  /** @type {Done[]} */
  #undone = [];
  /** @type {Map<string, any>} what the trash listed, by id */
  #gone = new Map();

  /** @param {Engine} engine that has read its disk @param {string | null} token */
  constructor(engine, token) {
    this.#engine = engine;
    this.#views = new Views(engine);
    this.#views.begin();
    const source = this.#source = new Source(engine.closing.signal);
    const access = this.#access = new Access(engine, token);
    const { meta, issue } = engine.mirror;
    engine.onState = engine.onDiskFault = () => source.changed();
    engine.onChange = (changes) => {
      this.#views.take(changes);
      access.take(changes);
      // The steps of an account end with its data.
      if (changes.some(({ store, key, value }) => store === "meta" && key === "account" && !value)) [this.#done, this.#undone, this.#gone] = [[], [], new Map()];
      source.changed();
    };
    this.status = new Live(source, () => ({ ...engine.state, pending: engine.mirror.outbox.size, isKept: engine.isOnDisk }));
    this.account = new Live(source, () => /** @type {import("../kanbase.js").Account | null} */ (meta.get("account") ?? null));
    this.conflicts = new Live(source, () => [...issue.values()].sort((a, b) => (a.at < b.at ? -1 : 1))
      .map(({ problem, ...rest }) => ({ ...rest, message: problem ? Problem.words(problem, 0) : reasonFor(rest.kind) })));
    access.enter();
  }

  /** @param {TaskQuery} [wanted] */
  tasks(wanted) {
    const { status, category, sort = "position", query } = wanted ?? {};
    const terms = searchTerms(query ?? "");
    const isShown = (/** @type {Task} */ task) => (!status || task.status === status)
      && (category === undefined || task.categoryId === this.#views.idOf(category)) && isFound(task, terms);
    return new Live(this.#source, () => [...this.#views.tasks.values()].filter(isShown).sort(comparison(sort)));
  }

  categories() { return new Live(this.#source, () => this.#views.categoryList); }

  ddays() {
    return new Live(this.#source, () => [...this.#views.ddays.values()].sort((a, b) => (a.date + a.id < b.date + b.id ? -1 : 1)));
  }

  settings() { return new Live(this.#source, () => this.#views.settings); }

  /** @param {string} id @returns {Task | undefined} */
  task(id) {
    return frozen(this.#views.tasks.get(id));
  }

  /** @param {TaskFields & Where & {id?: string}} fields @returns {Promise<Task>} */
  async create({ id: wanted, before, after, place, ...fields }) {
    const id = this.#free("task", wanted);
    const value = this.#ruled(fields);
    const where = copied({ status: value.status ?? "todo", before, after, place });
    /** @type {Intent[]} */
    const intents = [{ type: "task", op: "create", id, value, position: positionIn(this.#views, id, where) }];
    if (before ?? after ?? place) intents.push({ ...intents[0], op: "move", value: where });
    await this.#act({ type: "task", id }, intents);
    return /** @type {Task} */ (this.task(id));
  }

  /** @param {string} id @param {TaskFields} fields */
  async edit(id, fields) {
    const { status } = this.#find("task", id);
    const value = this.#ruled(fields);
    const isMoved = value.status && value.status !== status;
    await this.#act({ type: "task", id }, [{ type: "task", op: "patch", id, value, ...(isMoved && { position: positionIn(this.#views, id, { status: value.status }) }) }]);
  }

  /** @param {string} id @param {Where} where */
  async move(id, where) {
    const { status } = this.#find("task", id);
    const value = copied({ status, ...where });
    if (!value.before && !value.after && !value.place) value.place = "last";
    await this.#act({ type: "task", id }, [{ type: "task", op: "move", id, value, position: positionIn(this.#views, id, value) }]);
  }

  /** @param {string} id @returns {Promise<Task | null>} the task that follows one that repeats */
  async complete(id) {
    if (this.#find("task", id).status === "done") return null;
    const written = this.move(id, { status: "done" });
    const entry = [...this.#engine.mirror.outbox.values()].filter(({ mutation }) => mutation.id === id).at(-1);
    const next = entry?.next?.value ? this.task(entry.next.id) : null;
    await written;
    return next ?? null;
  }

  /** @param {string} id */
  async skip(id) {
    const { occurrence } = this.#find("task", id);
    await this.#act({ type: "task", id }, [{ type: "task", op: "skip", id, value: { occurrence } }]);
  }

  /** @param {string} id */
  async remove(id) { await this.#remove("task", id); }

  /** @param {string} id of a task that this device saw deleted, or in the trash */
  async restore(id) { await this.#restore("task", id); }

  /** @param {{type?: Target["type"], cursor?: string | null}} [wanted] @returns {Promise<any>} what the server has in the trash */
  async trash(wanted) {
    const { type = "task", cursor } = wanted ?? {};
    const { items, nextCursor = null } = await this.#engine.connection.call("GET", trashPaths[type] + (cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""));
    for (const item of items) this.#gone.set(item.id, item);
    return frozen({ items: items.filter((/** @type {{id: string}} */ { id }) => !valueOf(this.#views, { type, id })), nextCursor });
  }

  /** @param {import("../kanbase.js").CategoryFields & {id?: string}} fields @returns {Promise<Category>} */
  async createCategory(fields) { return this.#create("category", fields); }

  /** @param {string} id @param {import("../kanbase.js").CategoryFields} fields */
  async editCategory(id, fields) { await this.#edit("category", id, fields); }

  /** @param {string} id */
  async removeCategory(id) { await this.#remove("category", id); }

  /** @param {string} id */
  async restoreCategory(id) { await this.#restore("category", id); }

  /** @param {import("../kanbase.js").DDayFields & {id?: string}} fields @returns {Promise<DDay>} */
  async createDDay(fields) { return this.#create("dday", fields); }

  /** @param {string} id @param {import("../kanbase.js").DDayFields} fields */
  async editDDay(id, fields) { await this.#edit("dday", id, fields); }

  /** @param {string} id */
  async removeDDay(id) { await this.#remove("dday", id); }

  /** @param {string} id */
  async restoreDDay(id) { await this.#restore("dday", id); }

  /** @param {Blob} bytes @returns {Promise<string>} */
  addImage(bytes) { return addImage(this.#engine, bytes); }

  /** @param {string} id @returns {Promise<Blob>} */
  image(id) { return readImage(this.#engine, id); }

  /** @param {string} id */
  removeImage(id) { return removeImage(this.#engine, id); }

  /** @param {import("../kanbase.js").SettingsFields} fields */
  async editSettings(fields) {
    await this.#write([{ type: "settings", op: "patch", id: "settings", value: copied(fields) }]);
  }

  /** @returns {Promise<boolean>} false if there was no step, or somebody else has since changed all that it did */
  undo() {
    return this.#turn(this.#done, this.#undone, "after", "before");
  }

  /** @returns {Promise<boolean>} */
  redo() {
    return this.#turn(this.#undone, this.#done, "before", "after");
  }

  /** @param {string} id of a conflict @param {"mine" | "theirs"} choice */
  async answer(id, choice) {
    const issue = this.#engine.mirror.issue.get(id);
    if (!issue) throw missing("conflict", id);
    if (choice !== "mine" && choice !== "theirs") throw new TypeError(`Answer "mine" or "theirs".`);
    const { intents, answered } = choice === "mine" ? keepMine(this.#views, issue) : takeTheirs(this.#views, issue);
    await this.#write(intents, answered);
  }

  /** Resolves when the server has all edits of this device, and this device what the server had. */
  async sync() {
    await catchUp(this.#engine, this.#source);
  }

  /** @param {import("../kanbase.js").LogIn} options */
  async logIn(options) { await this.#access.logIn(options); }

  /** @param {import("../kanbase.js").SignUp} options */
  async signUp(options) { await this.#access.signUp(options); }

  /** @param {{discard?: boolean}} [options] */
  async logOut(options = {}) { await this.#access.logOut(options); }

  /** Ends all that is under way; what was written is on the device. */
  async close() {
    await this.#engine.writing;
    this.#engine.close();
    this.#source.changed();
  }

  /** @param {Target} target @param {Intent[]} intents as one step */
  #act(target, intents) {
    const before = stateOf(this.#views, target);
    // Shown before it returns.
    const written = this.#write(intents);
    const after = stateOf(this.#views, target);
    if (JSON.stringify(before.value) !== JSON.stringify(after.value)) {
      this.#done = [...this.#done.slice(-99), { target, before, after }];
      this.#undone = [];
    }
    return written;
  }

  /** @param {Done[]} from @param {Done[]} to @param {"before" | "after"} old @param {"before" | "after"} wanted */
  async #turn(from, to, old, wanted) {
    const step = from.pop();
    if (!step) return false;
    to.push(step);
    const intents = turn(this.#views, step.target, step[old], step[wanted]);
    await this.#write(intents);
    return intents.length > 0;
  }

  /** @param {Intent[]} intents @param {Change[]} [also] */
  #write(intents, also) {
    if (this.#source.signal.aborted) throw closed();
    return this.#engine.edit(intents, also);
  }

  /** @param {Target["type"]} type @param {string | null} [wanted] @returns {string} as the server writes it, of nothing that is there */
  #free(type, wanted) {
    const id = (wanted ?? uuid()).toLowerCase();
    if (valueOf(this.#views, { type, id })) throw new Problem(409, { code: "already_exists", detail: `There is a ${type} with the id ${id}.` });
    return id;
  }

  /** @param {Target["type"]} type @param {string} id */
  #find(type, id) {
    const value = valueOf(this.#views, { type, id: this.#views.idOf(id) });
    if (!value) throw missing(type, id);
    return value;
  }

  /** @param {TaskFields} fields @returns {Record<string, any>} the server would take its own zone for a rule without one */
  #ruled(fields) {
    const { recurrence, ...value } = copied(fields);
    if (value.categoryId) value.categoryId = this.#views.idOf(value.categoryId);
    return { ...value, ...(recurrence !== undefined && { recurrence: recurrence && { rule: recurrence.rule, from: "due", timeZone: this.#views.ruleZone, ...recurrence } }) };
  }

  /** @param {"category" | "dday"} type @param {Record<string, any>} fields */
  async #create(type, { id: wanted, ...fields }) {
    const id = this.#free(type, wanted);
    await this.#act({ type, id }, [{ type, op: "create", id, value: trimmed(fields) }]);
    return frozen(valueOf(this.#views, { type, id }));
  }

  /** @param {Target["type"]} type @param {string} wanted @param {Record<string, any>} fields */
  #edit(type, wanted, fields) {
    const { id } = this.#find(type, wanted);
    return this.#act({ type, id }, [{ type, op: "patch", id, value: trimmed(fields) }]);
  }

  /** @param {Target["type"]} type @param {string} wanted */
  #remove(type, wanted) {
    const { id } = this.#find(type, wanted);
    return this.#act({ type, id }, [{ type, op: "delete", id }]);
  }

  /** @param {Target["type"]} type @param {string} id */
  async #restore(type, id) {
    if (valueOf(this.#views, { type, id })) return;
    const item = this.#gone.get(id);
    // In memory at once, and on the disk before the edit.
    if (item) this.#engine.commit([remembered(item)]);
    else if (!this.#engine.mirror.meta.has(`deleted:${id}`)) throw missing(`deleted ${type}`, id);
    await this.#act({ type, id }, [{ type, op: "restore", id }]);
  }
}

/** @param {any} value of an app, which may change it later @returns {any} without members that are undefined */
const copied = (value) => JSON.parse(JSON.stringify(value));

/** @param {Record<string, any>} fields with the name of a category as the server keeps it */
const trimmed = (fields) => copied({ ...fields, ...(fields.name && { name: fields.name.trim() }) });
