// Language, time zone and theme, which are stored with the account for all devices; export and import; and the account: name,
// address, password, identities, sessions, tokens, invitations, events, and deleting it.
import { heading, showAnswer } from "./answers.js";
import { call, Problem, uuid } from "./api.js";
import { $, el, field } from "./dom.js";
import { describeTime } from "./dates.js";
import { pictureField } from "./forms.js";
import { onSubmit } from "./login.js";
import * as session from "./session.js";
import { text } from "./texts.js";

/** @param {App} app @param {HTMLElement} main */
export function showAccount(app, main) {
  if (app.session.token === null) {
    main.append(heading(text.screens.account), el("p", { class: "lead" }, text.noAccounts));
    return undefined;
  }
  const place = (/** @type {string} */ title) => {
    const content = el("div", {});
    main.append(el("section", { class: "panel" }, el("h2", {}, title), content));
    return content;
  };
  main.append(heading(text.screens.account));
  /** @type {(() => void)[]} */
  const stops = [];
  const list = (/** @type {HTMLElement} */ at, /** @type {string} */ path, /** @type {(answer: any, again: () => void) => any[]} */ show) => {
    const again = () => stops.push(showAnswer(app, at, path, (answer) => show(answer, again), []));
    again();
  };
  list(place(text.profile), "/account", (account, again) => profile(app, account, again));
  list(place(text.sessions), "/sessions", (answer, again) => sessions(app, answer, again));
  list(place(text.identities), "/account/identities", (answer, again) => identities(app, answer, again));
  const withSecret = (/** @type {HTMLElement} */ at, /** @type {string} */ path, /** @type {typeof tokens} */ show) => {
    const secret = el("p", { class: "note", hidden: true, role: "status" });
    at.before(secret);
    list(at, path, (answer, again) => show(app, answer, again, (hint, words) => {
      secret.replaceChildren(hint, " ", el("code", { tabIndex: 0 }, words));
      secret.hidden = false;
    }));
  };
  withSecret(place(text.tokens), "/tokens", tokens);
  withSecret(place(text.invitations), "/invitations", invitations);
  list(place(text.events), "/account/events", (answer) => events(app, answer));
  place(text.deleteAccount).append(el("p", {}, text.deleteAccountHint),
    actionForm(text.deleteAccount, { password: text.password }, async ({ password }) => {
      if (!confirm(text.reallyDelete)) return;
      await call("DELETE", "/account", { body: { password } });
      await session.end(app.engine, { erase: true });
    }, true));
  return () => stops.forEach((stop) => stop());
}

/**
 * A small form with its own error line. A submission keeps its idempotency key until it succeeds.
 * @param {string} label
 * @param {Record<string, string>} fields label by name; names of passwords and addresses get their kind of input
 * @param {(values: Record<string, string>, key: string) => Promise<any>} run
 * @param {boolean} [isDanger]
 */
export function actionForm(label, fields, run, isDanger = false) {
  let key = uuid();
  const kinds = /** @type {Record<string, any>} */ ({
    password: { type: "password", autocomplete: "current-password" }, newPassword: { type: "password", autocomplete: "new-password", minLength: 8 },
    email: { type: "email", autocomplete: "email" },
  });
  const inputs = Object.fromEntries(Object.keys(fields).map((name) => [name, el("input", { required: true, name, ...kinds[name] })]));
  const fault = el("p", { class: "fault", role: "alert" });
  const button = el("button", { class: isDanger ? "danger" : "primary" }, label);
  const form = el("form", { class: "inline" }, ...Object.entries(fields).map(([name, words]) => field(words, inputs[name])), button, fault);
  onSubmit(form, button, fault, async () => {
    try {
      await run(Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value])), key);
      key = uuid();
      form.reset();
    } catch (problem) {
      // The server refused it: the next attempt is a new submission.
      if (problem instanceof Problem && problem.status >= 400 && problem.status < 500) key = uuid();
      throw problem;
    }
  });
  return form;
}

/** @param {App} app @param {any} account @param {() => void} again */
function profile(app, account, again) {
  const patch = (/** @type {any} */ body, /** @type {string} */ key) => call("PATCH", "/account", { body, key });
  const { usage } = account;
  const image = pictureField();
  image.show(account.image ?? null);
  image.takeFrom(image.element);
  image.onChange = () => app.attempt(() => call("PATCH", "/account", { body: { image: image.id } }));
  return [
    el("p", {}, el("strong", {}, account.displayName || account.email), account.displayName ? ` · ${account.email}` : ""),
    image.element,
    account.emailVerified === false && verification(again),
    usage && el("p", { class: "quiet-words" }, text.usage(usage.tasks, usage.tasksLimit ?? null, usage.bytes, usage.bytesLimit ?? null)),
    el("details", {}, el("summary", {}, text.changeName), actionForm(text.save, { displayName: text.displayName }, async (values, key) => { await patch(values, key); again(); })),
    el("details", {}, el("summary", {}, text.changeEmail), actionForm(text.save, { email: text.email, password: text.password }, async (values, key) => { await patch(values, key); again(); })),
    el("details", {}, el("summary", {}, text.changePassword), actionForm(text.save, { password: text.password, newPassword: text.newPassword }, async (values, key) => {
      await patch(values, key);
      app.toast(text.passwordChanged);
      again();
    })),
  ];
}

/**
 * Not every server sends mail: the form for a code comes once one is on its way.
 * @param {() => void} again
 */
function verification(again) {
  const post = (/** @type {any} */ body) => call("POST", "/account/email-verification", { body });
  const form = actionForm(text.verify, { code: text.code }, async ({ code }) => { await post({ code: code.trim() }); again(); });
  form.hidden = true;
  return el("details", {}, el("summary", {}, text.verify), actionForm(text.forgot, {}, async () => { await post({}); form.hidden = false; }), form);
}

/** @param {App} app @param {string} path @param {() => void} again */
function deletes(app, path, again) {
  return () => void app.attempt(async () => { await call("DELETE", path); again(); });
}

/** @param {App} app @param {any} answer @param {() => void} again */
function sessions(app, answer, again) {
  return [
    el("ul", { class: "rows" }, ...answer.items.map((/** @type {any} */ item) => el("li", {},
      el("div", { class: "row-words" }, el("strong", {}, item.device ?? text.unknownDevice), item.id === app.session.id ? ` · ${text.thisDevice}` : "",
        el("p", { class: "quiet-words" }, text.lastUsed(describeTime(item.lastUsedAt ?? item.createdAt, app.model.zone)))),
      item.id === app.session.id ? el("button", { type: "button", onclick: () => app.logOut() }, text.logOut)
        : el("button", { type: "button", "aria-label": text.endSession(item.device ?? text.unknownDevice), onclick: deletes(app, `/sessions/${item.id}`, again) }, text.end)))),
    el("button", { type: "button", onclick: deletes(app, "/sessions", again) }, text.endOthers),
  ];
}

/** @param {App} app @param {any} answer @param {() => void} again */
function identities(app, answer, again) {
  return [
    el("ul", { class: "rows" }, ...answer.items.map((/** @type {any} */ item) => row(`${item.provider} · ${item.email ?? ""}`, "",
      deletes(app, `/account/identities/${item.id}`, again)))),
    answer.items.length === 0 && el("p", { class: "quiet-words" }, text.passwordOnly),
  ];
}

/** @param {string} name @param {string} words @param {() => void} remove */
function row(name, words, remove) {
  return el("li", {}, el("div", { class: "row-words" }, el("strong", {}, name), words && el("p", { class: "quiet-words" }, words)),
    el("button", { type: "button", "aria-label": text.removeOf(name), onclick: () => remove() }, text.remove));
}

/** @param {App} app @param {any} answer @param {() => void} again @param {Tell} tell */
function invitations(app, answer, again, tell) {
  const form = actionForm(text.invite, { email: text.inviteWhom }, async ({ email }) => {
    const made = await call("POST", "/invitations", { body: email ? { email } : {} });
    tell(text.linkOnce, made.url);
    again();
  });
  // It belongs to another person, or to nobody.
  Object.assign($("[name=email]", form), { required: false, autocomplete: "off" });
  return [
    el("ul", { class: "rows" }, ...answer.items.map((/** @type {any} */ item) => row(item.email ?? text.anybody,
      item.usedAt ? text.invitationUsed : text.goodUntil(describeTime(item.expiresAt, app.model.zone)),
      deletes(app, `/invitations/${item.id}`, again)))),
    el("details", {}, el("summary", {}, text.invite), form),
  ];
}

/** @param {App} app @param {any} answer @param {() => void} again @param {Tell} tell */
function tokens(app, answer, again, tell) {
  const scope = el("select", { "aria-label": text.scope }, ...["read", "full", "calendar"].map((name) => el("option", { value: name }, text.scopes[/** @type {"read"} */ (name)])));
  const form = actionForm(text.makeToken, { name: text.name, password: text.password }, async ({ name, password }, key) => {
    const body = { name, scope: scope.value, ...(scope.value === "full" && { password }) };
    const token = await call("POST", "/tokens", { body, key });
    tell(text.tokenOnce, token.token);
    again();
  });
  const password = $("[name=password]", form);
  const ask = () => {
    password.required = scope.value === "full";
    password.closest(".field").hidden = scope.value !== "full";
  };
  scope.addEventListener("change", ask);
  ask();
  form.prepend(field(text.scope, scope));
  return [
    el("ul", { class: "rows" }, ...answer.items.map((/** @type {any} */ item) => row(item.name, text.scopes[/** @type {"read"} */ (item.scope)],
      deletes(app, `/tokens/${item.id}`, again)))),
    answer.items.length === 0 && el("p", { class: "quiet-words" }, text.noTokens),
    el("details", {}, el("summary", {}, text.makeToken), form),
  ];
}

/** @param {App} app @param {any} answer */
function events(app, answer) {
  return [el("ul", { class: "rows" }, ...answer.items.map((/** @type {any} */ item) => el("li", {},
    el("div", { class: "row-words" }, /** @type {Record<string, string>} */ (text.eventKinds)[item.kind] ?? item.kind,
      el("p", { class: "quiet-words" }, [item.device, item.network].filter(Boolean).join(" · "))),
    el("time", { class: "quiet-words", dateTime: item.at }, describeTime(item.at, app.model.zone)))))];
}

/** @param {App} app @param {HTMLElement} main */
export function showSettings(app, main) {
  const save = (/** @type {any} */ value) => app.engine.edit([{ type: "settings", op: "patch", id: "settings", value }]);
  const select = (/** @type {[string, string][]} */ options, /** @type {string} */ value, /** @type {(value: string) => void} */ change) => {
    const control = el("select", {}, ...options.map(([key, words]) => el("option", { value: key }, words)));
    control.value = value;
    control.addEventListener("change", () => change(control.value));
    return control;
  };
  const { settings } = app.model;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = /** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? [own];
  if (settings.timeZone && !zones.includes(settings.timeZone)) zones.push(settings.timeZone);
  main.append(heading(text.screens.settings), el("section", { class: "panel form" },
    field(text.language, select([["", text.browserLanguage], ["en", "English"], ["ko", "한국어"], ["ja", "日本語"]], settings.locale ?? "",
      (value) => save({ locale: value || null }))),
    field(text.timeZone, select([["", text.browserZone(own)], ...zones.map((/** @type {string} */ zone) => /** @type {[string, string]} */ ([zone, zone.replaceAll("_", " ")]))], settings.timeZone ?? "",
      (value) => save({ timeZone: value || null }))),
    field(text.theme, select([["", text.systemTheme], ["light", text.light], ["dark", text.dark]], settings.custom?.theme ?? "",
      (value) => save({ custom: { theme: value || null } })))), dataPanel(app));
}

/** @param {App} app */
function dataPanel(app) {
  const save = (/** @type {string} */ path, /** @type {string} */ name) => app.attempt(async () => {
    const response = await call("GET", path, { raw: true, seconds: 120 });
    const address = URL.createObjectURL(await response.blob());
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  });
  const file = el("input", { type: "file", accept: "application/json,.json", class: "hidden", tabIndex: -1, "aria-hidden": "true" });
  const report = el("p", { role: "status", class: "note", hidden: true });
  const say = (/** @type {string} */ words) => { report.textContent = words; report.hidden = false; };
  file.addEventListener("change", () => app.attempt(async () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    let body;
    try { body = JSON.parse(await chosen.text()); } catch { return say(text.noExport); }
    try {
      const preview = await call("POST", "/import?dryRun=true", { body, seconds: 120 });
      if (!confirm(text.importPreview(countOf(preview)))) return;
      await call("POST", "/import", { body, seconds: 120 });
      say(text.imported);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      say(problem.code === "unreachable" ? text.unreachable : problem.message);
    }
  }));
  return el("section", { class: "panel" }, el("h2", {}, text.yourData), el("p", {}, text.dataHint),
    el("div", { class: "row" },
      el("button", { type: "button", onclick: () => save("/export", "kanbase.json") }, text.exportJSON),
      el("button", { type: "button", onclick: () => save("/export?format=csv", "kanbase.csv") }, text.exportCSV),
      el("button", { type: "button", onclick: () => file.click() }, text.importJSON), file), report);
}

/** @param {any} report */
function countOf(report) {
  let count = 0;
  for (const part of Object.values(report ?? {})) {
    if (typeof part !== "object" || part === null) continue;
    for (const [name, number] of Object.entries(part)) if (["created", "updated", "replaced"].includes(name)) count += Number(number) || 0;
  }
  return count;
}
