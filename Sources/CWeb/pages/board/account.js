// The screen of the account.
import { heading, pictureField, showAnswer } from "./answers.js";
import { Problem, uuid } from "../client/kanbase.js";
import { ability, call, endSession, own } from "./api.js";
import { $, el, field, panel, quiet, select, text } from "./page.js";
import { describeTime } from "./dates.js";
import { inputOf, onSubmit } from "./login.js";

/** @param {App} app @param {HTMLElement} main */
export function showAccount(app, main) {
  if (app.session.token === null) {
    main.append(heading(text.screens.account), el("p", { class: "lead" }, text.noAccounts));
    return undefined;
  }
  asksPassword = null;
  main.append(heading(text.screens.account));
  /** @type {(() => void)[]} */
  const stops = [];
  const list = (/** @type {string} */ title, /** @type {string} */ path, /** @type {ShowList} */ show) => {
    const secret = el("p", { class: "note", hidden: true, role: "status" });
    const place = el("div", {});
    main.append(panel(title, secret, place));
    const tell = (/** @type {string} */ hint, /** @type {string} */ words) => {
      secret.replaceChildren(hint, " ", el("code", { tabIndex: 0 }, words));
      secret.hidden = false;
    };
    const again = () => stops.push(showAnswer(app, place, path, (answer) => show(app, answer, again, tell), []));
    again();
  };
  list(text.profile, "/account", profile);
  list(text.sessions, "/sessions", sessions);
  list(text.identities, "/account/identities", identities);
  list(text.tokens, "/tokens", tokens);
  list(text.invitations, "/invitations", invitations);
  list(text.events, "/account/events", events);
  main.append(panel(text.deleteAccount, el("div", {}, el("p", {}, text.deleteAccountHint),
    actionForm(text.deleteAccount, { password: text.password }, async ({ password }) => {
      if (!confirm(text.reallyDelete)) return;
      await call("DELETE", "/account", { body: { password } });
      await endSession(app.engine, { erase: true });
    }, "danger"))));
  return () => stops.forEach((stop) => stop());
}

/**
 * An account that a provider's sign-in made has no password. Where that is possible, its fields are hidden until the server asks for
 * one.
 * @type {boolean | null} null as long as nothing is known
 */
let asksPassword = null;

/** @param {boolean} isAsked */
function askPassword(isAsked) {
  asksPassword = isAsked;
  document.querySelectorAll("main [name=password]").forEach(showPassword);
}

/** @param {any} input */
function showPassword(input) {
  input.disabled = input.closest(".field").hidden = asksPassword === false;
}

/**
 * A small form with its own error line. A submission keeps its idempotency key until it succeeds.
 * @param {string} label
 * @param {Record<string, string>} fields label by name
 * @param {(values: Record<string, string>, key: string) => Promise<any>} run
 */
function actionForm(label, fields, run, style = "primary") {
  let key = uuid();
  const inputs = Object.fromEntries(Object.keys(fields).map((name) => [name, inputOf(name)]));
  const fault = el("p", { class: "fault", role: "alert" });
  const button = el("button", { type: "submit", class: style }, label);
  const form = el("form", { class: "inline" }, ...Object.entries(fields).map(([name, words]) => field(words, inputs[name])), button, fault);
  if (inputs.password) showPassword(inputs.password);
  onSubmit(form, button, fault, async () => {
    const given = Object.entries(inputs).filter(([, { disabled }]) => !disabled);
    try {
      await run(Object.fromEntries(given.map(([name, input]) => [name, input.value])), key);
      key = uuid();
      form.reset();
    } catch (problem) {
      // The server refused it: the next attempt is a new submission.
      if (problem instanceof Problem && problem.status >= 400 && problem.status < 500) key = uuid();
      if (problem instanceof Problem && inputs.password?.disabled && /"#.password"|"wrong_password"/.test(JSON.stringify(problem.document))) {
        askPassword(true);
        inputs.password.focus();
        problem.message = `${text.password}: ${text.problems.required}`;
      }
      throw problem;
    }
  });
  return form;
}

/** @param {App} app @param {any} account @param {() => void} again */
function profile(app, account, again) {
  const save = async (/** @type {any} */ body, /** @type {string} */ key) => { await call("PATCH", "/account", { body, key }); again(); };
  const { usage } = account;
  const image = pictureField();
  image.show(account.image ?? null);
  image.takeFrom(image.element);
  image.onChange = () => app.attempt(() => call("PATCH", "/account", { body: { image: image.id } }));
  return [
    el("p", {}, el("strong", {}, account.displayName || account.email), account.displayName ? ` · ${account.email}` : ""),
    image.element,
    (account.pendingEmail || account.emailVerified === false) && verification(account.pendingEmail, again),
    usage && quiet(text.usage(usage.tasks, usage.tasksLimit ?? null, usage.bytes, usage.bytesLimit ?? null)),
    el("details", {}, el("summary", {}, text.changeName), actionForm(text.save, { displayName: text.displayName }, save)),
    el("details", {}, el("summary", {}, text.changeEmail), actionForm(text.save, { email: text.email, password: text.password }, save)),
    el("details", {}, el("summary", {}, text.changePassword), actionForm(text.save, { password: text.password, newPassword: text.newPassword }, async (values, key) => {
      await save(values, key);
      app.toast(text.passwordChanged);
    })),
  ];
}

/**
 * Shown where mail is sent. The form for a code comes once one is on its way, as it is for an address that waits.
 * @param {string | null | undefined} pending @param {() => void} again
 */
function verification(pending, again) {
  const post = (/** @type {any} */ body) => call("POST", "/account/email-verification", { body });
  const form = actionForm(text.verify, { code: text.code }, async ({ code }) => { await post({ code: code.trim() }); again(); });
  form.hidden = !pending;
  const details = el("details", { hidden: true, open: !!pending }, el("summary", {}, pending ? `${text.verify}: ${pending}` : text.verify), actionForm(text.forgot, {}, async () => { await post({}); form.hidden = false; }), form);
  ability().then(({ features }) => { details.hidden = !features.includes("mail"); });
  return details;
}

/** @param {App} app @param {string} path @param {() => void} again */
function deletes(app, path, again) {
  return () => app.attempt(async () => { await call("DELETE", path); again(); });
}

/** @param {App} app @param {Answer} answer @param {() => void} again */
function sessions(app, answer, again) {
  return [
    el("ul", { class: "rows" }, ...answer.items.map((item) => el("li", {},
      el("div", { class: "row-words" }, el("strong", {}, item.device ?? text.unknownDevice), item.id === app.session.id ? ` · ${text.thisDevice}` : "",
        quiet(text.lastUsed(describeTime(item.lastUsedAt ?? item.createdAt, app.model.zone)))),
      item.id === app.session.id ? el("button", { onclick: () => app.logOut() }, text.logOut)
        : el("button", { "aria-label": text.endSession(item.device ?? text.unknownDevice), onclick: deletes(app, `/sessions/${item.id}`, again) }, text.end)))),
    el("button", { onclick: deletes(app, "/sessions", again) }, text.endOthers),
  ];
}

/** @param {App} _app @param {Answer} answer @param {() => void} again */
function identities(_app, answer, again) {
  if (answer.items.length && asksPassword === null) askPassword(false);
  const unlink = (/** @type {any} */ item) => actionForm(text.remove, { password: text.password }, async ({ password }) => {
    await call("DELETE", `/account/identities/${item.id}`, { body: { password } });
    again();
  }, "danger");
  return [
    el("ul", { class: "rows" }, ...answer.items.map((item) => {
      const name = `${item.provider} · ${item.email ?? ""}`;
      return el("li", {}, el("div", { class: "row-words" }, el("strong", {}, name),
        el("details", {}, el("summary", { "aria-label": text.removeOf(name) }, text.remove), unlink(item))));
    })),
    answer.items.length === 0 && quiet(text.passwordOnly),
  ];
}

/** @param {string} name @param {string} words @param {() => void} onclick */
function listRow(name, words, onclick) {
  return el("li", {}, el("div", { class: "row-words" }, el("strong", {}, name), words && quiet(words)),
    el("button", { "aria-label": text.removeOf(name), onclick }, text.remove));
}

/** @param {App} app @param {Answer} answer @param {() => void} again @param {Tell} tell */
function invitations(app, answer, again, tell) {
  const form = actionForm(text.invite, { email: text.inviteWhom }, async ({ email }) => {
    const made = await call("POST", "/invitations", { body: email ? { email } : {} });
    tell(text.linkOnce, made.url);
    again();
  });
  // It belongs to another person, or to nobody.
  Object.assign($("[name=email]", form), { required: false, autocomplete: "off" });
  return [
    el("ul", { class: "rows" }, ...answer.items.map((item) => listRow(item.email ?? text.anybody,
      item.usedAt ? text.invitationUsed : text.goodUntil(describeTime(item.expiresAt, app.model.zone)),
      deletes(app, `/invitations/${item.id}`, again)))),
    el("details", {}, el("summary", {}, text.invite), form),
  ];
}

/** @param {App} app @param {Answer} answer @param {() => void} again @param {Tell} tell */
function tokens(app, answer, again, tell) {
  const scope = select({ "aria-label": text.scope }, Object.entries(text.scopes));
  const form = actionForm(text.makeToken, { name: text.name, password: text.password }, async ({ name, password }, key) => {
    const body = { name, scope: scope.value, ...(password && { password }) };
    const token = await call("POST", "/tokens", { body, key });
    tell(text.tokenOnce, token.token);
    again();
  });
  const hint = quiet(text.tokenYear);
  const ask = () => {
    const isNeeded = scope.value === "full";
    $("[name=password]", form).required = isNeeded;
    hint.hidden = isNeeded;
  };
  scope.addEventListener("change", ask);
  ask();
  form.prepend(field(text.scope, scope));
  form.append(hint);
  return [
    el("ul", { class: "rows" }, ...answer.items.map((item) => listRow(item.name,
      [text.scopes[/** @type {"read"} */ (item.scope)], item.expiresAt && text.goodUntil(describeTime(item.expiresAt, app.model.zone))].filter(Boolean).join(" · "),
      deletes(app, `/tokens/${item.id}`, again)))),
    answer.items.length === 0 && quiet(text.noTokens),
    el("details", {}, el("summary", {}, text.makeToken), form),
  ];
}

/** @param {App} app @param {Answer} answer */
function events(app, answer) {
  return [el("ul", { class: "rows" }, ...answer.items.map((item) => el("li", {},
    el("div", { class: "row-words" }, own(text.eventKinds, item.kind) ?? item.kind,
      quiet([item.device, item.network].filter(Boolean).join(" · "))),
    el("time", { class: "quiet-words", dateTime: item.at }, describeTime(item.at, app.model.zone)))))];
}
