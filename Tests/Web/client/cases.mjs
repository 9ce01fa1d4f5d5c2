// What an app may rely on, by the name of the promise: the same cases run in Chromium, in a page of another origin, and in Node. Each has
// the kind of server that it needs. `t` has the library, the server's address, a storage that outlives a board, and what a test does to
// a server.

/** Milliseconds that a condition has to come true. */
let patience = 30_000;

/** Resolves with the first value of a live one that is as wanted. */
export function until(live, isWanted, what = String(isWanted)) {
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const timer = setTimeout(() => { stop(); reject(new Error(`Never: ${what}; at last ${JSON.stringify(live.value)}`)); }, patience);
    let isOver = false;
    stop = live.subscribe((value) => {
      if (isOver || !isWanted(value)) return;
      isOver = true;
      clearTimeout(timer);
      queueMicrotask(() => stop());
      resolve(value);
    });
  });
}

function same(seen, wanted) {
  if (JSON.stringify(seen) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(seen)} is not ${JSON.stringify(wanted)}`);
}

/** The problem that a promise is rejected with. */
async function problem(t, promise) {
  const caught = await promise.then(() => null, (error) => error);
  if (!(caught instanceof t.library.Problem)) throw new Error(`No problem, but ${caught}`);
  return caught;
}

/** Puts something between the library and the server, until it is taken away. */
function between(change) {
  const { fetch } = globalThis;
  globalThis.fetch = (address, options) => change(String(address), options) ?? fetch(address, options);
  return () => { globalThis.fetch = fetch; };
}

const titles = (tasks) => tasks.map(({ title }) => title);
const live = (board) => until(board.status, ({ phase, pending }) => phase === "live" && pending === 0, "live");
const offline = (board) => until(board.status, ({ phase }) => phase === "offline", "offline");
const sun = { email: "sun@example.org", password: "correct horse" };
const moon = { email: "moon@example.org", password: "battery staple" };

/** An engine that does nothing by itself. */
const engineOf = ({ library }) => new library.Engine(
  { name: "", channel: null, isKept: false, missed: [], reading: Promise.resolve(library.emptyMirror()), write: async () => {}, close() {} }, new library.Connection());

/** Both change a task: the server while the device is away, and the device before it comes back. */
async function away(t, change) {
  const board = await t.open();
  const task = await board.create({ title: "Tea" });
  await board.sync();
  await board.close();
  await t.stop();
  const again = await t.open();
  await offline(again);
  await change.here(again, task);
  await again.close();
  await t.start();
  await change.there(task);
  const last = await t.open();
  await last.sync();
  return { board: last, task };
}

export const cases = {
  "an edit shows before its promise resolves, and reaches the server": ["open", async (t) => {
    const board = await t.open();
    const seen = [];
    const stop = board.tasks({ status: "todo" }).subscribe((tasks) => seen.push(titles(tasks)));
    const written = board.create({ title: "Milk" });
    same(seen, [[], ["Milk"]]);
    const task = await written;
    await board.edit(task.id, { title: "Oat milk", dueDate: "2031-05-04" });
    await board.move(task.id, { status: "doing" });
    same(seen, [[], ["Milk"], ["Oat milk"], []]);
    stop();
    await board.sync();
    const { title, status, dueDate } = await t.api("GET", `/tasks/${task.id}`);
    same([title, status, dueDate], ["Oat milk", "doing", "2031-05-04"]);
    await board.remove(task.id);
    same(board.task(task.id), undefined);
    await board.sync();
    same((await t.api("GET", "/tasks")).items, []);
    await board.restore(task.id);
    await board.sync();
    same(titles((await t.api("GET", "/tasks")).items), ["Oat milk"]);
  }],

  "a column has the order of the server, before it answers and after": ["open", async (t) => {
    const board = await t.open();
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((title) => board.create({ title })));
    await board.move(c.id, { before: a.id });
    await board.move(a.id, { after: b.id });
    await board.create({ title: "first", place: "first" });
    await board.create({ title: "d", before: a.id });
    const column = board.tasks({ status: "todo" });
    same(titles(column.value), ["first", "c", "b", "d", "a"]);
    await board.sync();
    same(titles(column.value), ["first", "c", "b", "d", "a"]);
    same(titles((await t.api("GET", "/tasks?sort=position")).items), ["first", "c", "b", "d", "a"]);
  }],

  "two boards come to the same": ["open", async (t) => {
    const one = await t.open(), two = await t.open({ storage: "memory" });
    await live(one);
    await live(two);
    const task = await one.create({ title: "Tea" });
    await until(two.tasks(), (tasks) => titles(tasks).includes("Tea"));
    await two.move(task.id, { status: "done" });
    await until(one.tasks({ status: "done" }), (tasks) => tasks.length === 1);
    await Promise.all([one.edit(task.id, { title: "Green tea" }), two.edit(task.id, { body: "Two cups" })]);
    await one.sync();
    await two.sync();
    await one.sync();
    same([one, two].map((board) => [board.task(task.id).title, board.task(task.id).body]), [["Green tea", "Two cups"], ["Green tea", "Two cups"]]);
  }],

  "edits without a server outlive the board, and are sent later": ["open", async (t) => {
    const first = await t.open();
    const kept = await first.create({ title: "Kept" });
    await first.sync();
    await t.stop();
    await offline(first);
    await first.create({ title: "Offline" });
    await first.edit(kept.id, { title: "Kept and changed" });
    same(first.status.value.pending, 2);
    same((await problem(t, first.sync())).code, "unreachable");
    await first.close();

    const second = await t.open();
    same(titles(second.tasks().value), ["Kept and changed", "Offline"]);
    same([second.status.value.pending, second.status.value.isKept], [2, true]);
    await t.start();
    await second.sync();
    same(second.status.value.pending, 0);
    same(titles((await t.api("GET", "/tasks?sort=position")).items), ["Kept and changed", "Offline"]);
  }],

  "a log-in is asked for, kept, and ended": ["guarded", async (t) => {
    const board = await t.open();
    await until(board.status, ({ phase }) => phase === "loggedOut");
    // Edits of nobody wait for an account.
    const task = await board.create({ title: "Before" });
    await board.signUp({ ...sun, displayName: "Sun" });
    await board.sync();
    same([board.account.value.email, board.account.value.displayName], ["sun@example.org", "Sun"]);
    await board.close();

    const again = await t.open();
    await live(again);
    same(titles(again.tasks().value), ["Before"]);
    await again.logOut();
    same([again.tasks().value, again.account.value, again.status.value.phase], [[], null, "loggedOut"]);
    await again.close();
    const empty = await t.open();
    same([empty.tasks().value, empty.status.value.phase], [[], "loggedOut"]);
    same((await problem(t, empty.sync())).status, 401);
    await empty.logIn(sun);
    await until(empty.tasks(), (tasks) => tasks.some(({ id }) => id === task.id));
  }],

  "what is written during a log-out waits for the next log-in": ["guarded", async (t) => {
    const board = await t.open();
    await board.signUp(sun);
    const task = await board.create({ title: "Sent" });
    await board.sync();
    const late = [];
    const end = between((address, { method }) => {
      if (method !== "DELETE") return;
      late.push(board.edit(task.id, { title: "Late" }).catch(({ code }) => code), board.create({ title: "Later" }).then(({ title }) => title));
    });
    await board.logOut().finally(end);
    same(await Promise.all(late), ["not_found", "Later"]);
    same([titles(board.tasks().value), board.status.value.phase, board.status.value.pending], [["Later"], "loggedOut", 1]);
    await board.logIn(sun);
    await board.sync();
    same(titles(board.tasks().value), ["Sent", "Later"]);
  }],

  "a log-out that the storage refuses says so": ["guarded", async (t) => {
    const kept = new Map();
    let isFull = false;
    const write = async (changes) => {
      if (isFull) throw new Error("The disk is full.");
      for (const { store, key, value } of changes) {
        if (value === undefined) kept.delete(`${store} ${key}`);
        else kept.set(`${store} ${key}`, value);
      }
    };
    const board = await t.open({ storage: { read: async () => [], write } });
    await board.signUp(sun);
    await board.create({ title: "Milk" });
    await board.sync();
    isFull = true;
    same((await problem(t, board.logOut())).code, "not_removed");
    same([board.status.value.phase, kept.has("meta account")], ["loggedOut", true]);
    isFull = false;
    await board.logOut();
    same([...kept], [["meta session", null]]);
  }],

  "a wrong password is a problem with words, and changes nothing": ["guarded", async (t) => {
    await t.api("POST", "/accounts", sun);
    const board = await t.open();
    await board.create({ title: "Mine" });
    const wrong = await problem(t, board.logIn({ ...sun, password: "wrong horse" }));
    same([wrong.status, wrong.code !== "", wrong.message.length > 10], [401, true, true]);
    same([titles(board.tasks().value), board.status.value.pending], [["Mine"], 1]);
  }],

  "a session that the server ended keeps the edits for the next log-in": ["guarded", async (t) => {
    const board = await t.open();
    await board.signUp(sun);
    await board.sync();
    await t.endSessions(sun);
    const task = await board.create({ title: "Unsent" });
    await until(board.status, ({ phase }) => phase === "loggedOut");
    same(board.status.value.pending, 1);
    await board.logIn(sun);
    await board.sync();
    same(board.task(task.id).revision > 0, true);
  }],

  "what one account has not sent is not given to another": ["guarded", async (t) => {
    await t.api("POST", "/accounts", moon);
    const board = await t.open();
    await board.signUp(sun);
    await board.create({ title: "Sent" });
    await board.sync();
    await t.endSessions(sun);
    await board.create({ title: "Unsent" });
    await until(board.status, ({ phase }) => phase === "loggedOut");
    same((await problem(t, board.logOut())).code, "unsent_edits");
    same((await problem(t, board.logIn(moon))).code, "unsent_edits");
    same([titles(board.tasks().value), board.account.value.email], [["Sent", "Unsent"], "sun@example.org"]);
    await board.logIn({ ...moon, discard: true });
    await board.sync();
    same([board.tasks().value, board.account.value.email], [[], "moon@example.org"]);
  }],

  "a token of the app is used, and never kept": ["guarded", async (t) => {
    await t.api("POST", "/accounts", sun);
    const { token } = await t.api("POST", "/sessions", sun);
    await t.api("POST", "/tasks", { title: "There" }, token);
    const board = await t.open({ token });
    await until(board.tasks(), (tasks) => titles(tasks).includes("There"));
    await board.close();
    const without = await t.open();
    same(titles(without.tasks().value), ["There"]);
    await until(without.status, ({ phase }) => phase === "loggedOut");
    await without.create({ title: "Unsent" });
    await without.close();
    // Another account's: it gets nothing of the first, and what was not sent stays.
    await t.api("POST", "/accounts", moon);
    const { token: others } = await t.api("POST", "/sessions", moon);
    const refused = await t.open({ token: others });
    same((await problem(t, refused.sync())).code, "unsent_edits");
    same(titles(refused.tasks().value), ["There", "Unsent"]);
    await refused.close();
    const again = await t.open({ token });
    await again.sync();
    await again.close();
    const other = await t.open({ token: others });
    await other.sync();
    same([other.account.value.email, other.tasks().value], ["moon@example.org", []]);
    same(titles((await t.api("GET", "/tasks?sort=position", undefined, token)).items), ["There", "Unsent"]);
  }],

  "a member that both changed is a conflict, and either answer holds": ["open", async (t) => {
    for (const [answer, title] of [["mine", "Black tea"], ["theirs", "Green tea"]]) {
      const { board, task } = await away(t, {
        here: (board, { id }) => board.edit(id, { title: "Black tea" }),
        there: ({ id }) => t.api("PATCH", `/tasks/${id}`, { title: "Green tea", body: "Theirs" }),
      });
      const [conflict] = board.conflicts.value;
      same([conflict.kind, conflict.target, conflict.conflicts], ["merged", task.id, [{ member: "title", base: "Tea", theirs: "Green tea", yours: "Black tea" }]]);
      same([board.task(task.id).title, board.task(task.id).body], ["Black tea", "Theirs"]);
      await board.answer(conflict.id, answer);
      same(board.conflicts.value, []);
      await board.sync();
      same((await t.api("GET", `/tasks/${task.id}`)).title, title);
      await board.close();
    }
  }],

  "only mine and theirs are answers": ["open", async (t) => {
    const { board } = await away(t, {
      here: (board, task) => board.edit(task.id, { title: "Green tea" }), there: (task) => t.api("PATCH", `/tasks/${task.id}`, { title: "Black tea" }),
    });
    const [conflict] = board.conflicts.value;
    same(await board.answer(conflict.id, "Mine").then(() => "", ({ name }) => name), "TypeError");
    same(board.conflicts.value.length, 1);
  }],

  "an edit of what somebody deleted is a conflict, and mine brings it back": ["open", async (t) => {
    const { board, task } = await away(t, {
      here: (board, { id }) => board.edit(id, { title: "Black tea" }),
      there: ({ id }) => t.api("DELETE", `/tasks/${id}`),
    });
    same([board.tasks().value, board.conflicts.value[0].code], [[], "deleted"]);
    await board.answer(board.conflicts.value[0].id, "mine");
    await board.sync();
    same((await t.api("GET", `/tasks/${task.id}`)).title, "Black tea");
  }],

  "what the server refuses is a conflict with its reason": ["open", async (t) => {
    const board = await t.open();
    await board.create({ title: "x".repeat(201) });
    await board.sync();
    const [{ kind, message, id }] = board.conflicts.value;
    same([kind, message.startsWith("title: ")], ["refused", true]);
    same(board.tasks().value, []);
    await board.answer(id, "theirs");
    same(board.conflicts.value, []);
    same((await problem(t, board.answer(id, "mine"))).code, "not_found");
  }],

  "a refused task that is tried again is at the end of its column": ["open", async (t) => {
    const board = await t.open();
    const garden = await board.createCategory({ name: "Garden" });
    const [first, last] = ["f", "0"].map((digit) => t.library.uuid().replace(/^./, digit));
    await board.create({ title: "Seeds", id: first });
    await board.sync();
    await t.stop();
    await offline(board);
    await board.create({ title: "Weeds", categoryId: garden.id, id: last });
    await board.close();
    await t.start();
    await t.api("DELETE", `/categories/${garden.id}`);
    const again = await t.open();
    await live(again);
    const [{ kind, id }] = again.conflicts.value;
    await t.stop();
    await offline(again);
    await again.answer(id, "mine");
    same([kind, titles(again.tasks().value)], ["refused", ["Seeds", "Weeds"]]);
    await t.start();
    await live(again);
    same(titles((await t.api("GET", "/tasks?sort=position")).items), ["Seeds", "Weeds"]);
  }],

  "undo takes back each kind of step, and redo does it again": ["open", async (t) => {
    const board = await t.open();
    const state = () => board.tasks().value.map(({ title, status }) => `${title} ${status}`).sort();
    const other = await board.create({ title: "Other" });
    const task = await board.create({ title: "Tea" });
    await board.edit(task.id, { title: "Green tea" });
    await board.move(task.id, { place: "first" });
    await board.complete(task.id);
    await board.remove(task.id);
    const steps = [["Other todo"], ["Green tea done", "Other todo"], ["Green tea todo", "Other todo"], ["Green tea todo", "Other todo"], ["Other todo", "Tea todo"], ["Other todo"]];
    same(state(), steps[0]);
    for (const wanted of steps.slice(1)) {
      same(await board.undo(), true);
      same(state(), wanted);
    }
    await board.redo();
    same(state(), ["Other todo", "Tea todo"]);
    await board.undo();
    await board.undo();
    same(await board.undo(), false);
    same(board.task(other.id), undefined);
    await board.sync();
    same((await t.api("GET", "/tasks")).items, []);
  }],

  "undo leaves alone what somebody else changed since": ["open", async (t) => {
    const board = await t.open();
    const task = await board.create({ title: "Tea", body: "One cup" });
    await board.edit(task.id, { title: "Green tea", body: "Two cups" });
    await board.sync();
    await t.api("PATCH", `/tasks/${task.id}`, { title: "Somebody's tea" });
    await board.sync();
    same(await board.undo(), true);
    await board.sync();
    const { title, body } = await t.api("GET", `/tasks/${task.id}`);
    same([title, body], ["Somebody's tea", "One cup"]);
  }],

  "a task that repeats is followed by the one that the server makes": ["open", async (t) => {
    const board = await t.open();
    const rent = await board.create({ title: "Rent", dueDate: "2027-01-31", recurrence: { rule: "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD" } });
    const next = await board.complete(rent.id);
    same([next.title, next.status, next.dueDate, next.occurrence], ["Rent", "todo", "2027-02-28", 2]);
    same(board.task(next.id) === next, true);
    await board.skip(next.id);
    same(board.task(next.id).dueDate, "2027-03-31");
    await board.sync();
    same(board.tasks().value.length, 2);
    const { dueDate, occurrence, status } = await t.api("GET", `/tasks/${next.id}`);
    same([dueDate, occurrence, status], ["2027-03-31", 3, "todo"]);
    const plain = await board.create({ title: "Once" });
    same(await board.complete(plain.id), null);
  }],

  "after a restore of the server everything is read again, and mine is on top": ["open", async (t) => {
    const board = await t.open();
    const old = await board.create({ title: "Old" });
    await board.sync();
    await t.backup();
    const lost = await board.create({ title: "Lost", body: "A long thought" });
    await board.sync();
    await t.stop();
    await offline(board);
    await board.edit(old.id, { title: "Old, edited offline" });
    await t.restore();
    await t.start();
    await board.sync();
    await until(board.conflicts, (list) => list.length === 1);
    same(titles(board.tasks().value), ["Old, edited offline"]);
    const [conflict] = board.conflicts.value;
    same([conflict.kind, conflict.title], ["lost", "Lost"]);
    await board.answer(conflict.id, "mine");
    await board.sync();
    same((await t.api("GET", `/tasks/${lost.id}`)).body, "A long thought");
    same((await t.api("GET", `/tasks/${old.id}`)).title, "Old, edited offline");
  }],

  "words about a task that the server has not even in its trash come back with the whole task": ["open", async (t) => {
    const file = "Title,Notes\nTea,Green\n";
    const { importId } = await (await fetch(`${t.server}/import?format=csv`, { method: "POST", headers: { "Content-Type": "text/csv" }, body: file })).json();
    const board = await t.open();
    await board.sync();
    const [task] = board.tasks().value;
    await board.close();
    await t.stop();
    const again = await t.open();
    await offline(again);
    await again.edit(task.id, { body: "Green, two spoons" });
    await again.edit(task.id, { dueDate: "2031-05-04" });
    await again.close();
    await t.start();
    await t.api("DELETE", `/imports/${importId}`);
    const last = await t.open();
    await last.sync();

    const [deleted] = await until(last.conflicts, (list) => list.length > 0);
    same(last.conflicts.value.length, 1);
    same([deleted.kind, deleted.code, deleted.title, deleted.value], ["refused", "deleted", "Tea", { body: "Green, two spoons", dueDate: "2031-05-04" }]);
    await last.answer(deleted.id, "mine");
    same(titles(last.tasks().value), ["Tea"]);
    await last.sync();
    const [lost] = await until(last.conflicts, (list) => list.some(({ kind }) => kind === "lost"));
    same(last.conflicts.value.length, 1);
    same([lost.title, lost.value.body, lost.value.dueDate], ["Tea", "Green, two spoons", "2031-05-04"]);
    await last.answer(lost.id, "mine");
    await last.sync();
    same(last.conflicts.value, []);
    const { items } = await t.api("GET", "/tasks");
    same(items.map(({ title, body, dueDate }) => [title, body, dueDate]), [["Tea", "Green, two spoons", "2031-05-04"]]);
    same(items[0].id !== task.id, true);
  }],

  "what an account has no room for waits, and goes on when there is": ["full", async (t) => {
    const board = await t.open();
    await board.signUp(sun);
    const first = await board.create({ title: "First" });
    const second = await board.create({ title: "Second" });
    const full = await problem(t, board.sync());
    same([full.status, full.code, board.status.value.full, board.status.value.pending], [507, "quota_exceeded", true, 1]);
    // What needs no room goes on, also a deletion of what waits.
    const { revision } = board.task(first.id);
    await board.edit(first.id, { title: "First, again" });
    await until(board.status, ({ sending }) => !sending && board.task(first.id).revision > revision);
    same([board.status.value.pending, board.task(second.id).revision], [1, 0]);
    await board.remove(second.id);
    await board.sync();
    same([board.status.value.full, titles(board.tasks().value)], [false, ["First, again"]]);
  }],

  "what the server cannot do now is reported, and tried again": ["open", async (t) => {
    const board = await t.open();
    await live(board);
    const end = between((address) => (address.endsWith("/sync") ? Promise.resolve(new Response('{"code": "busy"}', { status: 503 })) : undefined));
    await board.create({ title: "Milk" });
    const busy = await problem(t, board.sync()).finally(end);
    same([busy.status, busy.code], [503, "busy"]);
    same([board.status.value.problem.code, board.status.value.pending], ["busy", 1]);
    await board.sync();
    same([board.status.value.problem, board.status.value.pending], [null, 0]);
  }],

  "a request that fails late does not stop a sync that began after it": ["open", async (t) => {
    let [fail, count] = [() => {}, 0];
    const late = new Promise((_, reject) => { fail = () => reject(new TypeError("The network has changed.")); });
    const { fetch } = globalThis;
    const end = between((address, options) => {
      if (!address.endsWith("/account")) return undefined;
      count += 1;
      return count === 1 ? late : fetch(address, options).finally(() => { setTimeout(fail, 100); });
    });
    const board = await t.open();
    await board.create({ title: "Milk" });
    await board.sync().finally(end);
    same(titles((await t.api("GET", "/tasks")).items), ["Milk"]);
  }],

  "a closed board takes no edits": ["open", async (t) => {
    const board = await t.open();
    const task = await board.create({ title: "Milk" });
    await board.close();
    for (const call of [() => board.create({ title: "Tea" }), () => board.edit(task.id, { title: "Tea" }), () => board.complete(task.id), () => board.remove(task.id), () => board.undo(), () => board.createCategory({ name: "Home" }), () => board.editSettings({ locale: "ko" })]) {
      same((await problem(t, call())).code, "closed");
    }
    same(titles(board.tasks().value), ["Milk"]);
  }],

  "an app's fault in a subscriber stops neither the board nor the other subscribers": ["open", async (t) => {
    const errors = [];
    const { reportError } = globalThis;
    globalThis.reportError = ({ message }) => errors.push(message);
    try {
      const board = await t.open();
      const seen = [];
      let isFaulty = false;
      board.tasks().subscribe(() => { if (isFaulty) throw new Error("Of the list"); });
      board.status.subscribe(() => { if (isFaulty) throw new Error("Of the status"); });
      board.tasks().subscribe((tasks) => seen.push(titles(tasks)));
      await live(board);
      isFaulty = true;
      const { title } = await board.create({ title: "Milk" });
      same([title, seen.at(-1)], ["Milk", ["Milk"]]);
      await t.stop();
      await offline(board);
      await t.start();
      await board.sync();
      same([errors.includes("Of the list"), errors.includes("Of the status"), titles((await t.api("GET", "/tasks")).items)], [true, true, ["Milk"]]);
      // One that fails at once is none.
      let calls = 0;
      const caught = (() => { try { board.tasks().subscribe(() => { calls += 1; throw new Error("At once"); }); } catch (error) { return error.message; } })();
      await board.create({ title: "Tea" });
      same([caught, calls], ["At once", 1]);
    } finally {
      globalThis.reportError = reportError;
    }
  }],

  "an id is of one task, however it is spelled": ["open", async (t) => {
    const board = await t.open();
    const id = t.library.uuid();
    same((await board.create({ title: "One", id: id.toUpperCase() })).id, id);
    same((await problem(t, board.create({ title: "Two", id }))).code, "already_exists");
    same(typeof (await board.create({ title: "Three", id: null })).id, "string");
    const { id: garden } = await board.createCategory({ name: "Garden" });
    same((await problem(t, board.createCategory({ name: "Home", id: garden }))).code, "already_exists");
    await board.sync();
    same([titles(board.tasks().value), board.conflicts.value], [["One", "Three"], []]);
  }],

  "storage of an app is written once at a time, in order, and read back": ["open", async (t) => {
    const kept = new Map();
    let isWriting = false;
    const storage = {
      async read() { return [...kept.values()]; },
      async write(changes) {
        if (isWriting) throw new Error("Two writes at a time.");
        isWriting = true;
        await new Promise((resolve) => { setTimeout(resolve); });
        for (const change of JSON.parse(JSON.stringify(changes))) {
          const name = `${change.store} ${change.key}`;
          if (change.value === undefined) kept.delete(name);
          else kept.set(name, change);
        }
        isWriting = false;
      },
    };
    const board = await t.open({ storage });
    const [one] = await Promise.all(["One", "Two", "Three"].map((title) => board.create({ title })));
    await board.remove(one.id);
    await board.sync();
    same(board.status.value.isKept, true);
    await board.close();
    await t.stop();
    const again = await t.open({ storage });
    same(titles(again.tasks().value), ["Two", "Three"]);
    await again.restore(one.id);
    same(titles(again.tasks({ sort: "title" }).value), ["One", "Three", "Two"]);
  }],

  "storage that fails does not stop the board, which says so": ["open", async (t) => {
    const board = await t.open({ storage: { read: async () => [], write: async () => { throw new Error("The disk is full."); } } });
    await board.create({ title: "Milk" });
    same([titles(board.tasks().value), board.status.value.isKept], [["Milk"], false]);
    await board.sync();
    same(titles((await t.api("GET", "/tasks")).items), ["Milk"]);
    const broken = await t.open({ storage: { read: async () => { throw new Error("Broken."); }, write: async () => {} } }).then(() => "", String);
    same(broken, "Error: Broken.");
  }],

  "memory keeps nothing": ["open", async (t) => {
    const board = await t.open({ storage: "memory" });
    await t.stop();
    await board.create({ title: "Milk" });
    same(board.status.value.isKept, false);
    await board.close();
    same((await t.open({ storage: "memory" })).tasks().value, []);
    for (const storage of [null, "disk", {}]) same(await t.open({ storage }).then(() => "", ({ name }) => name), "TypeError");
  }],

  "a wrong address is distinguished from no connection": ["open", async (t) => {
    same((await problem(t, t.library.open({ server: "kanbase.example.org", storage: "memory" }))).code, "invalid_address");
    const nowhere = await t.library.open({ server: "http://127.0.0.1:9", storage: "memory" });
    same((await until(nowhere.status, ({ problem }) => problem)).problem.code, "unreachable");
    same((await problem(t, nowhere.sync())).code, "unreachable");
    const other = await t.library.open({ server: `${t.stage}/other`, storage: "memory" });
    const { code, message } = (await until(other.status, ({ problem }) => problem)).problem;
    same([code, message], ["not_kanbase", "What answers at this address is not Kanbase. Check the address of the server."]);
    same((await problem(t, other.logIn(sun))).code, "not_kanbase");
    await nowhere.close();
    await other.close();
  }],

  "what is not there cannot be edited, and what is shown cannot be changed": ["open", async (t) => {
    const board = await t.open();
    const id = t.library.uuid();
    for (const call of [() => board.edit(id, {}), () => board.move(id, { status: "done" }), () => board.complete(id), () => board.skip(id), () => board.remove(id), () => board.restore(id), () => board.editCategory(id, {})]) {
      same((await problem(t, call())).code, "not_found");
    }
    const reminders = ["PT0S"];
    const task = await board.create({ title: "Tea", dueDate: "2031-05-04", reminders });
    reminders.push("-P1D");
    for (const change of [() => { task.title = "x"; }, () => { task.reminders.push("x"); }, () => { board.tasks().value.pop(); }]) {
      let isRefused = false;
      try { change(); } catch { isRefused = true; }
      same(isRefused, true);
    }
    same([board.task(task.id).title, board.task(task.id).reminders], ["Tea", ["PT0S"]]);
  }],

  "a live value is reported once a change, can be looped over, and ends with the board": ["open", async (t) => {
    const board = await t.open();
    const list = board.tasks({ sort: "title", query: "tea" });
    const seen = [];
    const stop = list.subscribe((tasks) => seen.push(titles(tasks)));
    const before = list.value;
    const { id } = await board.create({ title: "Milk" });
    same(list.value === before, true);
    const tea = await board.create({ title: "Tea", categoryId: null });
    await board.create({ title: "Green tea" });
    stop();
    await board.remove(tea.id);
    same(seen, [[], ["Tea"], ["Green tea", "Tea"]]);
    same(board.tasks({ category: null }).value.length, 2);
    same(board.tasks({ category: id }).value, []);
    const looped = [];
    let loop = Promise.resolve();
    await new Promise((resolve) => {
      loop = (async () => {
        for await (const tasks of list) {
          looped.push(titles(tasks));
          if (looped.length === 1) board.create({ title: "Mint tea" });
          else resolve();
        }
      })();
    });
    // One that waits can be ended, and one that another has ended is not called.
    const iterator = list[Symbol.asyncIterator]();
    same((await iterator.next()).done, false);
    const waiting = iterator.next();
    same([(await iterator.return()).done, (await waiting).done], [true, true]);
    const calls = [];
    let ends = () => {};
    list.subscribe(() => ends());
    ends = list.subscribe(() => calls.push("called"));
    await board.create({ title: "Black tea" });
    same(calls, ["called"]);
    await board.close();
    await loop;
    same(looped, [["Green tea"], ["Green tea", "Mint tea"], ["Black tea", "Green tea", "Mint tea"]]);
  }],

  "categories, D-days and settings are edited and undone like tasks": ["open", async (t) => {
    const board = await t.open();
    const garden = await board.createCategory({ name: "Garden", color: "#4d7c0f" });
    await board.createCategory({ name: "Äpfel" });
    await board.createCategory({ name: "apples" });
    same(board.categories().value.map(({ name }) => name), ["apples", "Garden", "Äpfel"]);
    await board.create({ title: "Weeds", categoryId: garden.id });
    same(titles(board.tasks({ category: garden.id }).value), ["Weeds"]);
    await board.editCategory(garden.id, { name: "Yard" });
    await board.undo();
    const day = await board.createDDay({ title: "Launch", date: "2031-05-04" });
    await board.editDDay(day.id, { date: "2031-06-04" });
    await board.editSettings({ custom: { theme: "dark" }, timeZone: "Asia/Seoul" });
    await board.sync();
    same((await t.api("GET", "/categories")).items.map(({ name }) => name).sort(), ["Garden", "apples", "Äpfel"].sort());
    same((await t.api("GET", "/ddays")).items.map(({ date }) => date), ["2031-06-04"]);
    same((await t.api("GET", "/settings")).custom, { theme: "dark" });
    same(board.settings().value.timeZone, "Asia/Seoul");
    await board.removeDDay(day.id);
    await board.removeCategory(garden.id);
    await board.sync();
    same([board.ddays().value, board.tasks().value[0].categoryId], [[], null]);
  }],

  "what was deleted elsewhere is in the trash and comes back": ["open", async (t) => {
    const categoryId = (await t.api("POST", "/categories", { name: "Garden" })).id;
    const task = await t.api("POST", "/tasks", { title: "Weeds", status: "doing", categoryId });
    const day = await t.api("POST", "/ddays", { title: "Launch", date: "2031-05-04" });
    for (const path of [`/tasks/${task.id}`, `/ddays/${day.id}`, `/categories/${categoryId}`]) await t.api("DELETE", path);
    for (const title of ["One", "Two"]) await t.api("DELETE", `/tasks/${(await t.api("POST", "/tasks", { title })).id}`);
    const board = await t.open();
    await board.sync();
    const { items, nextCursor } = await board.trash();
    same([titles(items).sort(), nextCursor, items.every(({ deletedAt }) => deletedAt)], [["One", "Two", "Weeds"], null, true]);
    same((await board.trash({ type: "category" })).items.map(({ name }) => name), ["Garden"]);
    same(titles((await board.trash({ type: "dday" })).items), ["Launch"]);
    await t.stop();
    await offline(board);
    same((await problem(t, board.trash())).code, "unreachable");
    // Shown at once, with what it says, and sent later.
    const restored = [board.restore(task.id), board.restoreCategory(categoryId), board.restoreDDay(day.id)];
    same([board.task(task.id).title, board.task(task.id).status, "deletedAt" in board.task(task.id)], ["Weeds", "doing", false]);
    same([board.categories().value[0].name, titles(board.ddays().value)], ["Garden", ["Launch"]]);
    await Promise.all(restored);
    await t.start();
    await board.sync();
    same([titles((await t.api("GET", "/tasks")).items), titles((await t.api("GET", "/ddays")).items)], [["Weeds"], ["Launch"]]);
    same((await t.api("GET", "/categories")).items.map(({ name }) => name), ["Garden"]);
    same(titles((await board.trash()).items).sort(), ["One", "Two"]);
    same((await problem(t, board.restoreDDay(categoryId.replace(/^./, "x")))).code, "not_found");
  }],

  "a picture is sent, read on every device, and removed": ["open", async (t) => {
    const picture = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), (letter) => letter.charCodeAt(0));
    const bytes = async (blob) => [...new Uint8Array(await blob.arrayBuffer())].join();
    const board = await t.open();
    const image = await board.addImage(new Blob([picture]));
    await board.createCategory({ name: "Garden", image });
    await board.createDDay({ title: "Launch", date: "2031-05-04", image });
    await board.sync();
    same((await t.api("GET", "/categories")).items.map((category) => category.image), [image]);
    same((await problem(t, board.addImage(new Blob(["no picture"])))).status, 415);
    await board.close();

    const other = await t.open({ storage: "memory" });
    await other.sync();
    same([other.categories().value[0].image, other.ddays().value[0].image], [image, image]);
    same(await bytes(await other.image(image)), picture.join());
    await t.stop();
    await offline(other);
    same(await bytes(await other.image(image)), picture.join());
    same((await problem(t, other.image(t.library.uuid()))).code, "unreachable");
    same((await problem(t, other.removeImage(image))).code, "unreachable");
    same(await bytes(await other.image(image)), picture.join());
    await t.start();
    await live(other);
    await other.removeImage(image);
    await until(other.categories(), ([category]) => category.image === null);
    await until(other.ddays(), ([day]) => day.image === null);
    same((await problem(t, other.image(image))).status, 404);
  }],

  "the same category of two devices is one": ["open", async (t) => {
    const board = await t.open();
    await t.stop();
    await offline(board);
    const mine = await board.createCategory({ name: "Garden" });
    const task = await board.create({ title: "Weeds", categoryId: mine.id });
    await t.start();
    const theirs = await t.api("POST", "/categories", { name: "garden" });
    await board.sync();
    same(board.categories().value.map(({ id }) => id), [theirs.id]);
    same((await t.api("GET", `/tasks/${task.id}`)).categoryId, theirs.id);
    // An app may still have the first id.
    await board.editCategory(mine.id, { color: "#4d7c0f" });
    const other = await board.create({ title: "Seeds", categoryId: mine.id });
    same([other.categoryId, titles(board.tasks({ category: mine.id }).value)], [theirs.id, ["Weeds", "Seeds"]]);
    await board.sync();
    same([board.conflicts.value, board.categories().value[0].color], [[], "#4d7c0f"]);
  }],

  "changes come without streams, as in React Native": ["open", async (t) => {
    const { TextDecoderStream: decoder } = globalThis;
    delete globalThis.TextDecoderStream;
    try {
      const board = await t.open();
      await live(board);
      await t.api("POST", "/tasks", { title: "Theirs" });
      await until(board.tasks(), (tasks) => titles(tasks).includes("Theirs"));
      await board.close();
    } finally {
      globalThis.TextDecoderStream = decoder;
    }
  }],

  "a connection that breaks while nothing waits does not stop later edits": ["open", async (t) => {
    const { sender } = engineOf(t);
    await sender.failed(new t.library.Problem(0));
    same(sender.limit, 1);
    sender.close();
  }],

  "a page that comes after the stream brings back nothing that was deleted since": ["open", async (t) => {
    const mirror = t.library.emptyMirror();
    const made = { type: "task", id: "t", revision: 5, value: { id: "t", title: "Ghost", revision: 5 } };
    same(t.library.receive(mirror, [made], null).length, 1);
    mirror.meta.set("cursor", "1-6-x");
    same(t.library.receive(mirror, [made], null), []);
    same(t.library.receive(mirror, [{ ...made, revision: 7 }], null).length, 1);
  }],

  "undo of a creation keeps what another device wrote in it since": ["open", async (t) => {
    const board = await t.open();
    const task = await board.create({ title: "Tea", status: "done" });
    const plain = await board.create({ title: "Milk", dueDate: "2031-05-04", recurrence: { rule: "FREQ=DAILY" } });
    await board.sync();
    await t.api("PATCH", `/tasks/${task.id}`, { body: "Two cups" });
    await board.sync();
    same([await board.undo(), board.task(plain.id)], [true, undefined]);
    same([await board.undo(), board.task(task.id).body], [false, "Two cups"]);
  }],

  "what a restored server had in an older form comes back without touching newer words": ["open", async (t) => {
    const board = await t.open();
    const { id } = await board.create({ title: "Tea", body: "One cup", dueDate: "2031-05-04" });
    await board.sync();
    await t.backup();
    await board.edit(id, { title: "Green tea", body: "Two cups", dueDate: "2031-05-05" });
    await board.sync();
    await t.stop();
    await t.restore();
    await t.start();
    await board.sync();
    const [conflict] = await until(board.conflicts, (list) => list.length === 1);
    await board.edit(id, { body: "Three cups" });
    await t.api("PATCH", `/tasks/${id}`, { title: "Somebody's tea" });
    await board.sync();
    await board.answer(conflict.id, "mine");
    await board.sync();
    const { title, body, dueDate } = await t.api("GET", `/tasks/${id}`);
    same([title, body, dueDate, board.conflicts.value], ["Somebody's tea", "Three cups", "2031-05-05", []]);
  }],

  "their words take the place of the newest of several edits that waited": ["open", async (t) => {
    const { board, task } = await away(t, {
      here: async (board, { id }) => { for (const title of ["Black tea", "White tea"]) await board.edit(id, { title }); },
      there: ({ id }) => t.api("PATCH", `/tasks/${id}`, { title: "Green tea" }),
    });
    same(board.conflicts.value.map(({ conflicts }) => conflicts), [[{ member: "title", base: "Tea", theirs: "Green tea", yours: "White tea" }]]);
    await board.answer(board.conflicts.value[0].id, "theirs");
    await board.sync();
    same((await t.api("GET", `/tasks/${task.id}`)).title, "Green tea");
  }],

  "their words do not replace what was written after the conflict": ["open", async (t) => {
    const { board, task } = await away(t, {
      here: (board, { id }) => board.edit(id, { title: "Black tea", body: "Mine" }),
      there: ({ id }) => t.api("PATCH", `/tasks/${id}`, { title: "Green tea", body: "Theirs" }),
    });
    await t.api("PATCH", `/tasks/${task.id}`, { title: "Newest tea" });
    await board.sync();
    await board.answer(board.conflicts.value[0].id, "theirs");
    await board.sync();
    const { title, body } = await t.api("GET", `/tasks/${task.id}`);
    same([title, body], ["Newest tea", "Theirs"]);
  }],

  "what a token may not do is reported, and the edits wait": ["open", async (t) => {
    const board = await t.open();
    await live(board);
    const end = between((address) => (address.endsWith("/sync") ? Promise.resolve(new Response('{"code": "insufficient_scope"}', { status: 403 })) : undefined));
    for (const title of ["Milk", "Tea"]) await board.create({ title });
    const forbidden = await problem(t, board.sync());
    end();
    same([forbidden.code, board.conflicts.value, titles(board.tasks().value)], ["insufficient_scope", [], ["Milk", "Tea"]]);
    await board.sync();
    same([board.status.value.pending, titles((await t.api("GET", "/tasks?sort=position")).items)], [0, ["Milk", "Tea"]]);
  }],

  "no edit is at fault for what a token may not do": ["open", async (t) => {
    const { mirror, sender } = engineOf(t);
    const at = new Date().toISOString();
    t.library.apply(mirror, t.library.mutate(mirror, { type: "task", op: "create", id: "t", value: { title: "Tea" } }, { mutationId: "m1", key: "1", at }));
    const { limit } = sender;
    for (let count = 0; count < 9; count += 1) {
      await sender.failed(new t.library.Problem(403, { code: "insufficient_scope" }));
      sender.close();
    }
    same([mirror.outbox.size, mirror.issue.size, sender.limit], [1, 0, limit]);
  }],

  "a day and its first moment are two due dates": ["open", async (t) => {
    const board = await t.open();
    const { id } = await board.create({ title: "Tea", dueDate: "2031-05-04" });
    await board.edit(id, { dueDate: "2031-05-04T00:00:00.000Z" });
    same([await board.undo(), board.task(id).dueDate], [true, "2031-05-04"]);
  }],

  "own words are known again in the form in which the server keeps them": ["open", async (t) => {
    const board = await t.open();
    const garden = await board.createCategory({ name: " Garden " });
    same(garden.name, "Garden");
    await board.editCategory(garden.id, { name: " Yard " });
    const { id } = await board.create({ title: "Tea", dueDate: "2031-05-04" });
    await board.edit(id, { recurrence: { from: "completion", rule: "FREQ=DAILY" } });
    await board.sync();
    await until(board.tasks(), ([{ revision }]) => revision > 0);
    same([await board.undo(), board.task(id).recurrence], [true, null]);
    await board.undo();
    same([await board.undo(), board.categories().value[0].name], [true, "Garden"]);
  }],

  "a deletion that waits keeps the newest words, whatever the feed brings": ["open", async (t) => {
    const { apply, emptyMirror, mutate, receive } = t.library;
    const mirror = emptyMirror();
    const task = { id: "t", title: "Old", status: "todo", position: "a0", revision: 1 };
    mirror.task.set("t", task);
    const at = new Date().toISOString();
    apply(mirror, mutate(mirror, { type: "task", op: "patch", id: "t", value: { title: "New" } }, { mutationId: "m1", key: "1", at }));
    apply(mirror, mutate(mirror, { type: "task", op: "delete", id: "t" }, { mutationId: "m2", key: "2", at }));
    apply(mirror, receive(mirror, [{ type: "task", id: "t", revision: 2, value: { ...task, revision: 2 } }, { type: "task", id: "t", revision: 3, deleted: true }], "1-3-x"));
    same(mirror.meta.get("deleted:t").title, "New");
  }],

  "a pause leaves no listener behind": ["open", async (t) => {
    const engine = engineOf(t);
    let count = 0;
    const { signal } = engine.leading;
    signal.addEventListener = () => { count += 1; };
    signal.removeEventListener = () => { count -= 1; };
    await engine.pause(1);
    same(count, 0);
    const paused = engine.pause(3_600_000);
    engine.rest();
    await paused;
  }],

  "keys of custom settings are answered one by one": ["open", async (t) => {
    const board = await t.open();
    await board.editSettings({ custom: { theme: "light", size: 1 } });
    await board.sync();
    await t.stop();
    await offline(board);
    await board.editSettings({ custom: { mine: 1, "a.b": 2, theme: "dark" } });
    await t.start();
    await t.api("PATCH", "/settings", { custom: { other: 2, size: 2, theme: "blue", "a.b": 1 } });
    await board.sync();
    const [conflict] = board.conflicts.value;
    same(conflict.conflicts.map(({ member, theirs, yours }) => [member, theirs, yours]).sort(), [["custom.a.b", 1, 2], ["custom.theme", "blue", "dark"]]);
    await board.answer(conflict.id, "theirs");
    await board.sync();
    const { custom } = await t.api("GET", "/settings");
    same(Object.entries(custom).sort(), [["a.b", 1], ["mine", 1], ["other", 2], ["size", 2], ["theme", "blue"]]);
  }],

  "undo of a move leaves a task where another device put it since": ["open", async (t) => {
    const board = await t.open();
    const [one, two] = await Promise.all(["1", "2", "3", "4"].map((title) => board.create({ title })));
    await board.move(one.id, { place: "last" });
    await board.sync();
    await t.api("POST", `/tasks/${one.id}/move`, { after: two.id });
    await board.sync();
    same([await board.undo(), titles(board.tasks().value).join("")], [false, "2134"]);
    await board.move(one.id, { place: "last" });
    await board.sync();
    await t.api("POST", "/tasks", { title: "5" });
    await board.sync();
    same([await board.undo(), titles(board.tasks().value).join("")], [true, "21345"]);
  }],

  "an edit of what the server has not answered for yet is no edit over words of others": ["open", async (t) => {
    const board = await t.open();
    await live(board);
    const { fetch } = globalThis;
    const end = between((address, options) => (address.endsWith("/sync") ? fetch(address, options).then(() => { throw new TypeError("The answer is lost."); }) : undefined));
    const { id } = await board.create({ title: "Tea" });
    await board.editSettings({ custom: { theme: "light" } });
    await problem(t, board.sync());
    await t.stop();
    await board.edit(id, { title: "Black tea" });
    await board.editSettings({ custom: { theme: "dark", mine: 1 } });
    end();
    await t.start();
    await t.api("PATCH", `/tasks/${id}`, { title: "Green tea" });
    await t.api("PATCH", "/settings", { custom: { theme: "blue" } });
    await board.sync();
    same(board.conflicts.value.flatMap(({ kind, conflicts }) => conflicts.map(({ member, theirs, yours }) => [kind, member, theirs, yours])).sort(),
      [["merged", "custom.theme", "blue", "dark"], ["merged", "title", "Green tea", "Black tea"]]);
  }],

  "an edit of the task that follows a completed one is no conflict with it": ["open", async (t) => {
    const board = await t.open();
    const rent = await board.create({ title: "Rent", dueDate: "2031-01-31", recurrence: { rule: "FREQ=MONTHLY" } });
    await board.sync();
    await t.stop();
    await offline(board);
    // Each is sent alone, since the line was bad.
    const next = await board.complete(rent.id);
    await board.edit(next.id, { title: "Rent and water" });
    await board.edit(next.id, { body: "Ask for the bill" });
    await t.start();
    await live(board);
    same([board.conflicts.value, board.task(next.id).title, board.task(next.id).body], [[], "Rent and water", "Ask for the bill"]);
  }],

  "settings that this device never had are not overwritten in silence": ["open", async (t) => {
    await t.stop();
    const board = await t.open();
    await board.editSettings({ custom: { theme: "dark", mine: 1 } });
    await t.start();
    await t.api("PATCH", "/settings", { custom: { theme: "blue", other: 1 } });
    await board.sync();
    same(board.conflicts.value.flatMap(({ conflicts }) => conflicts), [{ member: "custom.theme", base: null, theirs: "blue", yours: "dark" }]);
    same(Object.entries(board.settings().value.custom).sort(), [["mine", 1], ["other", 1], ["theme", "dark"]]);
  }],

  "edits that wait through a restore are sent, and ask where somebody changed the same since": ["open", async (t) => {
    const board = await t.open();
    const [tea, milk] = await Promise.all(["Tea", "Milk"].map((title) => board.create({ title })));
    await board.sync();
    await t.backup();
    await board.edit(tea.id, { body: "Two cups" });
    await board.edit(tea.id, { body: "Three cups" });
    await board.sync();
    await t.stop();
    await offline(board);
    await board.edit(tea.id, { title: "Green tea" });
    await board.edit(milk.id, { title: "Oat milk" });
    await board.close();
    await t.restore();
    await t.start();
    await t.api("PATCH", `/tasks/${milk.id}`, { title: "Soy milk" });
    const again = await t.open();
    await live(again);
    same(again.conflicts.value.map(({ kind, target, conflicts }) => [kind, target, conflicts.map(({ member, theirs }) => [member, theirs])]).sort(),
      [["lost", tea.id, []], ["merged", milk.id, [["title", "Soy milk"]]]]);
    same(titles((await t.api("GET", "/tasks?sort=position")).items), ["Green tea", "Oat milk"]);
  }],

  "two devices that bring back the same lose none of their words": ["open", async (t) => {
    await t.backup();
    const one = await t.open({ storage: "memory" }), two = await t.open();
    const { id } = await one.create({ title: "Tea" });
    await one.sync();
    await two.sync();
    await two.close();
    await one.edit(id, { title: "Green tea" });
    await one.sync();
    await t.stop();
    await t.restore();
    await t.start();
    const again = await t.open();
    for (const board of [one, again]) await until(board.conflicts, (list) => list.length === 1);
    await again.close();
    await one.answer(one.conflicts.value[0].id, "mine");
    await one.sync();
    await t.stop();
    const last = await t.open();
    await last.answer(last.conflicts.value[0].id, "mine");
    await t.start();
    await last.sync();
    const [{ kind, conflicts, id: merged }] = last.conflicts.value;
    same([kind, conflicts], ["merged", [{ member: "title", base: null, theirs: "Green tea", yours: "Tea" }]]);
    await last.answer(merged, "theirs");
    await last.sync();
    same((await t.api("GET", `/tasks/${id}`)).title, "Green tea");
  }],

  "lost words come back also where a restored server has the task in its trash": ["open", async (t) => {
    const board = await t.open();
    const { id } = await board.create({ title: "Tea" });
    await board.sync();
    await board.remove(id);
    await board.sync();
    await t.backup();
    await board.restore(id);
    await board.edit(id, { title: "Green tea" });
    await board.sync();
    await t.stop();
    await t.restore();
    await t.start();
    for (const kind of ["lost", "refused"]) {
      const list = await until(board.conflicts, (conflicts) => conflicts.some((each) => each.kind === kind));
      await board.answer(list.find((each) => each.kind === kind).id, "mine");
      await board.sync();
    }
    same([board.task(id).title, (await t.api("GET", `/tasks/${id}`)).title], ["Green tea", "Green tea"]);
  }],

  "undo takes back a task whose category became one with another": ["open", async (t) => {
    await t.stop();
    const board = await t.open();
    const garden = await board.createCategory({ name: "Garden" });
    const task = await board.create({ title: "Weeds", categoryId: garden.id });
    const other = await board.create({ title: "Seeds" });
    await board.edit(other.id, { categoryId: garden.id });
    await board.edit(other.id, { categoryId: null });
    await t.start();
    const theirs = await t.api("POST", "/categories", { name: "garden" });
    await board.sync();
    same([await board.undo(), board.task(other.id).categoryId], [true, theirs.id]);
    same([await board.undo(), board.task(other.id).categoryId], [true, null]);
    await board.undo();
    same([await board.undo(), board.task(task.id)], [true, undefined]);
    await board.sync();
    same((await t.api("GET", "/tasks")).items, []);
  }],

  "a sign-up beside edits of another account makes no account": ["guarded", async (t) => {
    const board = await t.open();
    await board.signUp(sun);
    await board.create({ title: "Sent" });
    await board.sync();
    await t.endSessions(sun);
    await board.create({ title: "Unsent" });
    await until(board.status, ({ phase }) => phase === "loggedOut");
    same((await problem(t, board.signUp(moon))).code, "unsent_edits");
    await board.signUp({ ...moon, discard: true });
    await board.sync();
    same([board.account.value.email, board.tasks().value], ["moon@example.org", []]);
  }],

  "a server that asks for weeks of patience is not asked without a pause": ["open", async (t) => {
    const end = between((address) => (address.includes("/account") ? Promise.resolve(new Response('{"code": "busy"}', { status: 503, headers: { "Retry-After": "9999999" } })) : undefined));
    const busy = await problem(t, new t.library.Connection(t.server).call("GET", "/account")).finally(end);
    same([busy.code, busy.retryAfter], ["busy", 3600]);
  }],

  "a search finds by the rules of all homes": ["open", async (t) => {
    const board = await t.open({ storage: "memory" });
    const wrong = [];
    for (const { query, title, body, found } of t.cases.search) {
      const task = { title, body, status: "todo" };
      if (t.library.isFound(task, t.library.searchTerms(query)) !== found) wrong.push([query, title]);
    }
    same(wrong, []);
    await board.close();
  }],
};

/** Runs one; `stage` is what stops and starts the server, `cases` are those of Tests/Cases, and `seconds` what a condition has. */
export async function run(library, { name, server, stage, cases: vectors, seconds }) {
  patience = seconds * 1000;
  const isBrowser = typeof indexedDB !== "undefined";
  const kept = new Map();
  // In Node, what a test keeps between two boards.
  const adapter = {
    read: async () => [...kept.values()],
    write: async (changes) => {
      for (const change of JSON.parse(JSON.stringify(changes))) {
        if (change.value === undefined) kept.delete(`${change.store} ${change.key}`);
        else kept.set(`${change.store} ${change.key}`, change);
      }
    },
  };
  const boards = [];
  const control = async (what) => {
    const answer = await fetch(`${stage}/${what}`, { method: "POST" });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const t = {
    library, server, stage, cases: vectors,
    async open(options) {
      const board = await library.open({ server, ...(!isBrowser && { storage: adapter }), ...options });
      boards.push(board);
      return board;
    },
    async api(method, path, body, token) {
      const answer = await fetch(server + path, {
        method, body: body && JSON.stringify(body), headers: { ...(body && { "Content-Type": "application/json" }), ...(token && { Authorization: `Bearer ${token}` }) },
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text ? JSON.parse(text) : null;
    },
    stop: () => control("stop"), start: () => control("start"), backup: () => control("backup"), restore: () => control("restore"),
    async endSessions(account) {
      const { token, session } = await t.api("POST", "/sessions", account);
      for (const { id } of (await t.api("GET", "/sessions", undefined, token)).items) {
        if (id !== session.id) await t.api("DELETE", `/sessions/${id}`, undefined, token);
      }
    },
  };
  let timer;
  const tooLong = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It takes too long: ${JSON.stringify(boards.map((board) => board.status.value))}`)), 3 * patience);
  });
  try {
    await Promise.race([cases[name][1](t), tooLong]);
  } finally {
    clearTimeout(timer);
    for (const board of boards) await board.close();
  }
}
