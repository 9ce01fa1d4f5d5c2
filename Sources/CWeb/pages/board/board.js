"use strict";

// The web board: one page over the public API. It keeps a copy of the tasks and categories, shows it, and follows
// GET /changes for what others do. Everything from the server goes into the page as text, never as markup.

const texts = {
  en: {
    todo: "To do", doing: "Doing", done: "Done", task: "Task", title: "Title", body: "Notes", status: "Column",
    category: "Category", dueDate: "Due date", dueTime: "Time", save: "Save", cancel: "Cancel", remove: "Delete",
    undo: "Undo", add: "Add", more: "Show more", all: "All categories", none: "Uncategorized", logIn: "Log in",
    logOut: "Log out", email: "E-mail", password: "Password", live: "Live", offline: "Not connected",
    newTask: "New task", removed: "Deleted:", changed: "Someone else changed this task. These are its values now.",
    failed: "The server cannot be reached.", left: "Move to the column before", right: "Move to the next column",
    movedTo: (task, column, place) => `${task}: ${column}, ${place}`,
    keys: "Enter edits. Arrow keys go to other tasks; with Shift they move this one. Delete moves it to the trash.",
  },
  ko: {
    todo: "할 일", doing: "진행 중", done: "완료", task: "할 일", title: "제목", body: "메모", status: "단계",
    category: "분류", dueDate: "마감일", dueTime: "시각", save: "저장", cancel: "취소", remove: "삭제",
    undo: "되돌리기", add: "추가", more: "더 보기", all: "모든 분류", none: "분류 없음", logIn: "로그인",
    logOut: "로그아웃", email: "이메일", password: "비밀번호", live: "실시간", offline: "연결 끊김",
    newTask: "새로운 할 일", removed: "삭제했습니다:", changed: "다른 곳에서 바뀐 할 일입니다. 지금 값으로 바꾸었습니다.",
    failed: "서버에 연결할 수 없습니다.", left: "이전 단계로 옮기기", right: "다음 단계로 옮기기",
    movedTo: (task, column, place) => `${task}: ${column} ${place}번째`,
    keys: "Enter로 편집합니다. 화살표로 다른 할 일로 가고, Shift와 함께 누르면 옮깁니다. Delete로 휴지통에 버립니다.",
  },
  ja: {
    todo: "未着手", doing: "進行中", done: "完了", task: "タスク", title: "タイトル", body: "メモ", status: "列",
    category: "分類", dueDate: "期限", dueTime: "時刻", save: "保存", cancel: "キャンセル", remove: "削除",
    undo: "元に戻す", add: "追加", more: "もっと見る", all: "すべての分類", none: "未分類", logIn: "ログイン",
    logOut: "ログアウト", email: "メール", password: "パスワード", live: "ライブ", offline: "未接続",
    newTask: "新しいタスク", removed: "削除しました:", changed: "ほかで変更されたタスクです。今の値を表示します。",
    failed: "サーバーに接続できません。", left: "前の列へ移動", right: "次の列へ移動",
    movedTo: (task, column, place) => `${task}: ${column} ${place}番目`,
    keys: "Enterで編集。矢印キーでほかのタスクへ、Shiftと一緒に押すと移動。Deleteでごみ箱へ。",
  },
};

const languages = navigator.languages ?? [navigator.language];
const language = languages.map((name) => name.slice(0, 2).toLowerCase()).find((name) => name in texts) ?? "en";
const text = texts[language];
const columns = ["todo", "doing", "done"];
const pageSize = 100;

const $ = (selector, root = document) => root.querySelector(selector);
const live = $("#live");
const editor = $("#editor");
const login = $("#login");
const filter = $("#filter");

// ---- The API ----

class Problem extends Error {
  constructor(status, document) {
    super(document?.errors?.map((fault) => fault.detail).join(" ") || document?.detail || `${status}`);
    this.status = status;
    this.document = document;
  }
}

let token = sessionStorage.getItem("token");

function headersFor(extra) {
  const headers = { "Accept-Language": language, ...extra };
  if (token) headers.Authorization = `Bearer ${token}`;
  return headers;
}

/** Calls the API. A request that may be repeated has a key, and is repeated once when the connection breaks. */
async function call(method, path, body, extra = {}) {
  const headers = headersFor(extra);
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if ((method === "POST" && path !== "/sessions") || method === "PATCH") headers["Idempotency-Key"] = randomKey();
  const request = () => fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  let response;
  try {
    response = await request();
  } catch {
    try { response = await request(); } catch { throw new Problem(0, { detail: text.failed }); }
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  const document = await response.json().catch(() => null);
  if (response.status === 401 && path !== "/sessions") askForLogIn();
  throw new Problem(response.status, document);
}

function randomKey() {
  // Not crypto.randomUUID, which pages over plain HTTP do not have.
  return [...crypto.getRandomValues(new Uint32Array(4))].map((word) => word.toString(36)).join("-");
}

// ---- What is known ----

const board = { tasks: new Map(), categories: new Map() };
/** The state being received for the first time; it takes the place of `board` when it is whole. */
let incoming = null;
let cursor = null;

function take(type, id, value) {
  for (const state of [board, incoming]) {
    const map = state && (type === "task" ? state.tasks : type === "category" ? state.categories : null);
    if (!map) continue;
    const known = map.get(id);
    if (!value) map.delete(id);
    else if (!known || known.revision <= value.revision) map.set(id, value);
  }
  render();
}

async function load() {
  const [columns, categories] = await Promise.all([
    call("GET", `/board?limit=${pageSize}`), call("GET", "/categories"),
  ]);
  for (const column of columns.columns) for (const task of column.tasks) take("task", task.id, task);
  for (const category of categories.items) take("category", category.id, category);
}

let following = 0;

/** Follows the changes for ever: reads the stream, and connects again from the last cursor when it breaks. */
async function follow() {
  const turn = ++following;
  for (let wait = 500; turn === following; wait = Math.min(wait * 2, 15000)) {
    try {
      if (!cursor) incoming = { tasks: new Map(), categories: new Map() };
      const query = new URLSearchParams({ types: "task,category", ...(cursor && { since: cursor }) });
      const response = await fetch(`/changes?${query}`, { headers: headersFor({ Accept: "text/event-stream" }) });
      if (response.status === 401) return askForLogIn();
      if (response.status === 410) { cursor = null; continue; }
      if (!response.ok) throw new Error(response.status);
      wait = 250;
      await readEvents(response.body, receive);
    } catch {
      // Whatever broke the stream: what follows is the next attempt.
    }
    showLive(false);
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** Splits a stream into server-sent events (HTML §9.2). */
async function readEvents(body, handle) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = {};
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        handle(event);
        event = {};
        continue;
      }
      const colon = line.indexOf(":");
      if (colon < 1) continue;
      const name = line.slice(0, colon);
      const content = line.slice(colon + 1).replace(/^ /, "");
      event[name] = name === "data" && event.data !== undefined ? `${event.data}\n${content}` : content;
    }
  }
}

function receive(event) {
  if (event.event === "change") {
    const change = JSON.parse(event.data);
    take(change.type, change.id, change.value);
    // A cursor out of the middle of the first load is no use without what came before it.
    if (!incoming) cursor = event.id;
    else incoming.cursor = event.id;
  } else if (event.event === "ready") {
    if (incoming) {
      Object.assign(board, { tasks: incoming.tasks, categories: incoming.categories });
      cursor = incoming.cursor ?? null;
      incoming = null;
    }
    showLive(true);
    render();
  }
}

function showLive(isOn) {
  live.textContent = isOn ? text.live : text.offline;
  live.classList.toggle("on", isOn);
}

// ---- The page ----

const cards = new Map();
const shown = Object.fromEntries(columns.map((status) => [status, pageSize]));
let rendering = false;

/** Shows what is known, once before the next frame however many changes come. */
function render() {
  if (rendering) return;
  rendering = true;
  requestAnimationFrame(() => {
    rendering = false;
    renderFilter();
    const focused = document.activeElement;
    for (const status of columns) renderColumn(status);
    for (const [id, card] of cards) if (!board.tasks.has(id)) { card.remove(); cards.delete(id); }
    if (focused?.isConnected && document.activeElement !== focused) focused.focus();
  });
}

function tasksOf(status) {
  return [...board.tasks.values()]
    .filter((task) => task.status === status && !task.deletedAt && matches(task))
    .sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : a.id < b.id ? -1 : 1));
}

function matches(task) {
  return filter.value === "" || (task.categoryId ?? "none") === filter.value;
}

function renderColumn(status) {
  const section = $(`[data-column=${status}]`);
  const list = $(".cards", section);
  const tasks = tasksOf(status);
  $(".count", section).textContent = tasks.length;
  $(".more", section).hidden = tasks.length <= shown[status];
  const wanted = tasks.slice(0, shown[status]).map(cardFor);
  const keep = new Set(wanted);
  for (const card of [...list.children]) if (!keep.has(card)) card.remove();
  wanted.forEach((card, index) => {
    if (list.children[index] !== card) list.insertBefore(card, list.children[index] ?? null);
  });
}

function cardFor(task) {
  let card = cards.get(task.id);
  if (!card) {
    card = $("#card").content.firstElementChild.cloneNode(true);
    card.dataset.id = task.id;
    $(".left", card).setAttribute("aria-label", text.left);
    $(".right", card).setAttribute("aria-label", text.right);
    cards.set(task.id, card);
  }
  const category = board.categories.get(task.categoryId);
  const day = new Date().toDateString();
  const key = `${task.revision} ${category?.revision} ${day}`;
  if (card.dataset.shows === key) return card;
  card.dataset.shows = key;
  card.dataset.status = task.status;
  $(".open", card).textContent = task.title;
  $(".body", card).textContent = task.body;
  const tag = $(".tag", card);
  tag.textContent = category ? `${category.emoji ?? ""} ${category.name}`.trim() : "";
  tag.style.borderColor = category?.color ?? "";
  showDue($(".due", card), task);
  $(".meta", card).classList.toggle("empty", !category && !task.dueDate);
  $(".left", card).disabled = task.status === columns[0];
  $(".right", card).disabled = task.status === columns.at(-1);
  return card;
}

function showDue(time, task) {
  time.textContent = "";
  if (!task.dueDate) return;
  const isDay = task.dueDate.length === 10;
  const due = isDay ? new Date(`${task.dueDate}T00:00`) : new Date(task.dueDate);
  const style = { year: "numeric", month: "short", day: "numeric", ...(!isDay && { hour: "numeric", minute: "2-digit" }) };
  const midnight = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  const days = Math.round((midnight(due) - midnight(new Date())) / 86400000);
  const label = days > 0 ? `D-${days}` : days < 0 ? `D+${-days}` : "D-DAY";
  time.dateTime = task.dueDate;
  time.textContent = `${due.toLocaleString(language, style)} · ${label}`;
  time.classList.toggle("overdue", days < 0 && task.status !== "done");
}

function renderFilter() {
  const names = [...board.categories.values()].sort((a, b) => a.name.localeCompare(b.name, language));
  const options = [["", text.all], ...names.map((category) => [category.id, category.name]), ["none", text.none]];
  const signature = JSON.stringify(options);
  if (filter.dataset.shows === signature) return;
  filter.dataset.shows = signature;
  const value = filter.value;
  filter.replaceChildren(...options.map(([id, name]) => new Option(name, id, false, id === value)));
  $("#categories").replaceChildren(...names.map((category) => new Option(category.name, category.name)));
}

let noticeTimer;

function notify(message, undo) {
  const notice = $("#notice");
  const button = $("button", notice);
  $("span", notice).textContent = message;
  button.hidden = !undo;
  button.onclick = () => { notice.hidden = true; undo(); };
  notice.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { notice.hidden = true; }, undo ? 10000 : 5000);
}

/** Runs what the user asked for and says so when it fails. */
async function attempt(action) {
  try {
    await action();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status !== 401) notify(problem.message);
  }
}

// ---- What the user does ----

function move(task, where) {
  return attempt(async () => {
    const moved = await call("POST", `/tasks/${task.id}/move`, where);
    take("task", moved.id, moved);
    const place = tasksOf(moved.status).findIndex((other) => other.id === moved.id) + 1;
    notify(text.movedTo(moved.title, text[moved.status], place));
  });
}

function moveBy(task, step) {
  const status = columns[columns.indexOf(task.status) + step];
  if (status) return move(task, { status });
}

function moveWithin(task, step) {
  const tasks = tasksOf(task.status);
  const neighbour = tasks[tasks.findIndex((other) => other.id === task.id) + step];
  if (neighbour) return move(task, step < 0 ? { before: neighbour.id } : { after: neighbour.id });
}

function remove(task) {
  return attempt(async () => {
    await call("DELETE", `/tasks/${task.id}`);
    const next = cards.get(task.id)?.nextElementSibling ?? cards.get(task.id)?.previousElementSibling;
    take("task", task.id, null);
    if (next) $(".open", next).focus();
    notify(`${text.removed} ${task.title}`, () => attempt(async () => {
      take("task", task.id, await call("POST", `/tasks/${task.id}/restore`));
    }));
  });
}

function fillEditor(task) {
  const fields = $("form", editor).elements;
  const due = task.dueDate ?? "";
  const local = due.length > 10 ? new Date(due) : null;
  const two = (number) => String(number).padStart(2, "0");
  fields.title.value = task.title;
  fields.body.value = task.body;
  fields.status.value = task.status;
  fields.category.value = board.categories.get(task.categoryId)?.name ?? "";
  fields.date.value = local
    ? `${String(local.getFullYear()).padStart(4, "0")}-${two(local.getMonth() + 1)}-${two(local.getDate())}` : due;
  fields.time.value = local ? `${two(local.getHours())}:${two(local.getMinutes())}` : "";
}

/** The members that the user changed, as a merge patch. */
function editorPatch(task) {
  const fields = $("form", editor).elements;
  const date = fields.date.value;
  const due = !date ? null : fields.time.value ? new Date(`${date}T${fields.time.value}`).toISOString() : date;
  const patch = {};
  if (fields.title.value !== task.title) patch.title = fields.title.value;
  if (fields.body.value !== task.body) patch.body = fields.body.value;
  if (fields.status.value !== task.status) patch.status = fields.status.value;
  const category = fields.category.value.trim();
  if (category !== (board.categories.get(task.categoryId)?.name ?? "")) {
    if (category) patch.categoryName = category;
    else patch.categoryId = null;
  }
  const isSameInstant = due?.length > 10 && task.dueDate?.length > 10
    && Math.floor(Date.parse(due) / 60000) === Math.floor(Date.parse(task.dueDate) / 60000);
  if (due !== task.dueDate && !isSameInstant) patch.dueDate = due;
  return patch;
}

function edit(task) {
  const form = $("form", editor);
  const fault = $(".fault", editor);
  fault.textContent = "";
  fillEditor(task);
  form.onsubmit = async (event) => {
    event.preventDefault();
    const choice = event.submitter?.value ?? "save";
    if (choice === "save") {
      try {
        const patch = editorPatch(task);
        if (Object.keys(patch).length) {
          const saved = await call("PATCH", `/tasks/${task.id}`, patch, { "If-Match": `"${task.revision}"` });
          take("task", saved.id, saved);
          if (patch.categoryName) {
            const { items } = await call("GET", "/categories");
            for (const category of items) take("category", category.id, category);
          }
        }
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        fault.textContent = problem.message;
        const current = problem.document?.current;
        if (problem.status === 412 && current) {
          task = current;
          take("task", task.id, task);
          fillEditor(task);
          fault.textContent = text.changed;
        }
        return;
      }
    }
    editor.close();
    if (choice === "remove") remove(task);
    else cards.get(task.id)?.querySelector(".open").focus();
  };
  editor.showModal();
}

function askForLogIn() {
  showLive(false);
  if (login.open) return;
  const form = $("form", login);
  const fault = $(".fault", login);
  fault.textContent = "";
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      const device = navigator.platform || "Web";
      const answer = await call("POST", "/sessions", { email: form.elements.email.value, password: form.elements.password.value, device });
      token = answer.token;
      // For this tab only: another one logs in by itself, and closing it forgets the token.
      sessionStorage.setItem("token", token);
      form.reset();
      login.close();
      start();
    } catch (problem) {
      fault.textContent = problem.message;
    }
  };
  login.showModal();
}

async function logOut() {
  following += 1;
  await attempt(() => call("DELETE", "/sessions/current"));
  sessionStorage.removeItem("token");
  location.reload();
}

// ---- Setting up ----

function cardOf(event) {
  const card = event.target.closest?.(".card");
  const task = card && board.tasks.get(card.dataset.id);
  return task ? { card, task } : null;
}

function setUpColumn(status) {
  const section = $("#column").content.firstElementChild.cloneNode(true);
  section.dataset.column = status;
  section.setAttribute("aria-label", text[status]);
  $(".name", section).textContent = text[status];
  $(".more", section).onclick = () => { shown[status] += pageSize; render(); };
  const form = $(".add", section);
  form.elements.title.placeholder = text.newTask;
  form.elements.title.setAttribute("aria-label", `${text[status]}: ${text.newTask}`);
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(async () => {
      const title = form.elements.title.value;
      const categoryId = board.categories.has(filter.value) ? filter.value : null;
      const task = await call("POST", "/tasks", { status, categoryId, ...(title.trim() && { title }) });
      form.reset();
      take("task", task.id, task);
    });
  };
  section.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    markTarget(section, cardOf(event)?.card);
  });
  section.addEventListener("drop", (event) => {
    const task = dragged && board.tasks.get(dragged);
    const before = cardOf(event)?.task;
    event.preventDefault();
    if (task && before?.id !== task.id) move(task, before ? { status, before: before.id } : { status, place: "last" });
  });
  $("#board").append(section);
}

let dragged = null;

function markTarget(section, card) {
  for (const old of document.querySelectorAll(".over, .target")) old.classList.remove("over", "target");
  section?.classList.add("over");
  card?.classList.add("target");
}

function setUpBoard() {
  const main = $("#board");
  main.addEventListener("click", (event) => {
    const found = cardOf(event);
    if (!found) return;
    if (event.target.closest(".left")) moveBy(found.task, -1);
    else if (event.target.closest(".right")) moveBy(found.task, 1);
    else edit(found.task);
  });
  main.addEventListener("keydown", (event) => {
    const found = cardOf(event);
    if (!found || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Delete") return remove(found.task);
    if ((event.key === "Enter" || event.key === " ") && event.target.matches(".open")) {
      event.preventDefault();
      return edit(found.task);
    }
    const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const along = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!sideways && !along) return;
    event.preventDefault();
    if (event.shiftKey) return sideways ? moveBy(found.task, sideways) : moveWithin(found.task, along);
    focusFrom(found, sideways ?? 0, along ?? 0);
  });
  main.addEventListener("dragstart", (event) => {
    const found = cardOf(event);
    if (!found) return;
    dragged = found.task.id;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", found.task.title);
    found.card.classList.add("dragged");
  });
  main.addEventListener("dragend", () => {
    cards.get(dragged)?.classList.remove("dragged");
    dragged = null;
    markTarget();
  });
}

function focusFrom({ card, task }, sideways, along) {
  let next = along < 0 ? card.previousElementSibling : along > 0 ? card.nextElementSibling : null;
  if (sideways) {
    const index = [...card.parentElement.children].indexOf(card);
    const list = $(`[data-column=${columns[columns.indexOf(task.status) + sideways]}] .cards`);
    next = list && (list.children[index] ?? list.lastElementChild);
  }
  if (next) $(".open", next).focus();
}

function start() {
  $("#logout").hidden = !token;
  cursor = null;
  attempt(load);
  follow();
}

document.documentElement.lang = language;
for (const element of document.querySelectorAll("[data-text]")) element.textContent = text[element.dataset.text];
for (const template of document.querySelectorAll("template")) {
  for (const element of template.content.querySelectorAll("[data-text]")) element.textContent = text[element.dataset.text];
}
$("[name=status]", editor).append(...columns.map((status) => new Option(text[status], status)));
filter.onchange = render;
$("#logout").onclick = logOut;
login.oncancel = (event) => event.preventDefault();
columns.forEach(setUpColumn);
setUpBoard();
showLive(false);
start();
