// Log-in, sign-up and password reset, shown instead of the board, so that nothing closes them; and the screen of the account.
import { heading, pictureField, showAnswer } from "./answers.js";
import { call, faultOf, Problem, uuid } from "./api.js";
import { $, el, field, select } from "./dom.js";
import { describeTime } from "./dates.js";
import { mark } from "./shell.js";
import * as session from "./api.js";
import { text } from "./texts.js";

/** @param {{mode?: LoginMode, note?: string, done: () => void}} options */
export async function showLogin({ mode = "logIn", note = "", done }) {
  const query = new URLSearchParams(location.search);
  /** @type {Record<string, HTMLInputElement>} */
  const inputs = {
    email: el("input", { type: "email", name: "email", autocomplete: "username", required: true }),
    password: el("input", { type: "password", name: "password", autocomplete: "current-password", required: true }),
    displayName: el("input", { type: "text", name: "displayName", autocomplete: "name" }),
    invitation: el("input", { type: "text", name: "invitation", autocomplete: "off", value: query.get("invitation") ?? "" }),
    code: el("input", { type: "text", name: "code", autocomplete: "one-time-code", required: true, value: query.get("code") ?? "" }),
    newPassword: el("input", { type: "password", name: "newPassword", autocomplete: "new-password", required: true, minLength: 8 }),
  };
  const labels = {
    email: text.email, password: text.password, displayName: text.displayName, invitation: text.invitation,
    code: text.code, newPassword: text.newPassword,
  };
  const main = el("main", { class: "entry", id: "main", tabIndex: -1 });

  /** @param {LoginMode} next @param {string} [message] */
  const show = (next, message = "") => {
    const names = { logIn: ["email", "password"], signUp: ["email", "newPassword", "displayName", "invitation"], forgot: ["email"], reset: ["code", "newPassword"] }[next];
    const fault = el("p", { class: "fault", role: "alert" });
    const button = el("button", { type: "submit", class: "primary wide" }, text[next]);
    const form = el("form", { class: "card-like" },
      el("h1", {}, text[next]), message && el("p", { class: "note", role: "status" }, message),
      ...names.map((name) => field(/** @type {any} */ (labels)[name], inputs[name])), fault, button,
      el("div", { class: "links" },
        ...others(next).map((other) => el("button", { class: "link", onclick: () => show(other) }, text[`to_${other}`]))));
    onSubmit(form, button, fault, () => submit(next));
    main.replaceChildren(el("div", { class: "brand" }, mark(), "Kanbase"), form);
    inputs[names.find((name) => !inputs[name].value) ?? names[0]].focus();
  };

  /** @param {LoginMode} mode */
  const submit = async (mode) => {
    const { email, password, displayName, invitation, code, newPassword } = inputs;
    if (mode === "forgot") {
      await call("POST", "/password-resets", { body: { email: email.value }, quiet: true });
      return show("reset", text.resetSent);
    }
    if (mode === "reset") {
      await call("POST", "/password-resets/complete", { body: { code: code.value.trim(), newPassword: newPassword.value }, quiet: true });
      newPassword.value = "";
      history.replaceState(null, "", "/");
      return show("logIn", text.passwordChanged);
    }
    if (mode === "signUp") {
      const body = {
        email: email.value, password: newPassword.value,
        ...(displayName.value && { displayName: displayName.value }), ...(invitation.value && { invitation: invitation.value.trim() }),
      };
      await call("POST", "/accounts", { body, quiet: true });
      password.value = newPassword.value;
    }
    const made = await session.logIn({ email: email.value, password: password.value });
    const kept = await session.keptEdits();
    if (kept && kept.account !== made.account && !confirm(text.otherKept(kept.count))) {
      await call("DELETE", "/sessions/current", { headers: { Authorization: `Bearer ${made.token}` }, quiet: true });
      throw new Problem(0, { detail: text.keptStays });
    }
    password.value = newPassword.value = "";
    await session.begin(made);
    done();
  };

  document.body.replaceChildren(main, el("div", { id: "announcer", class: "hidden", "aria-live": "polite" }));
  document.title = `${text[mode]} · Kanbase`;
  const kept = await session.keptEdits();
  show(mode, `${note} ${kept ? text.keptHere(kept.count) : ""}`.trim());
}

/** @param {LoginMode} mode @returns {LoginMode[]} */
function others(mode) {
  if (mode === "logIn") return ["signUp", "forgot"];
  return mode === "forgot" ? ["logIn", "reset"] : ["logIn"];
}

/**
 * What a form does, once at a time; it shows why it failed.
 * @param {HTMLFormElement} form @param {HTMLButtonElement} button @param {HTMLElement} fault @param {() => Promise<any>} run
 */
export function onSubmit(form, button, fault, run) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    fault.textContent = "";
    try {
      await run();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      fault.textContent = faultOf(problem);
    } finally {
      button.disabled = false;
    }
  });
}

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
  const list = (/** @type {HTMLElement} */ at, /** @type {string} */ path, /** @type {(answer: Answer, again: () => void) => any[]} */ show) => {
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
  const button = el("button", { type: "submit", class: isDanger ? "danger" : "primary" }, label);
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
  const save = async (/** @type {any} */ body, /** @type {string} */ key) => { await call("PATCH", "/account", { body, key }); again(); };
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
    el("details", {}, el("summary", {}, text.changeName), actionForm(text.save, { displayName: text.displayName }, save)),
    el("details", {}, el("summary", {}, text.changeEmail), actionForm(text.save, { email: text.email, password: text.password }, save)),
    el("details", {}, el("summary", {}, text.changePassword), actionForm(text.save, { password: text.password, newPassword: text.newPassword }, async (values, key) => {
      await save(values, key);
      app.toast(text.passwordChanged);
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

/** @param {App} app @param {Answer} answer @param {() => void} again */
function sessions(app, answer, again) {
  return [
    el("ul", { class: "rows" }, ...answer.items.map((item) => el("li", {},
      el("div", { class: "row-words" }, el("strong", {}, item.device ?? text.unknownDevice), item.id === app.session.id ? ` · ${text.thisDevice}` : "",
        el("p", { class: "quiet-words" }, text.lastUsed(describeTime(item.lastUsedAt ?? item.createdAt, app.model.zone)))),
      item.id === app.session.id ? el("button", { onclick: () => app.logOut() }, text.logOut)
        : el("button", { "aria-label": text.endSession(item.device ?? text.unknownDevice), onclick: deletes(app, `/sessions/${item.id}`, again) }, text.end)))),
    el("button", { onclick: deletes(app, "/sessions", again) }, text.endOthers),
  ];
}

/** @param {App} app @param {Answer} answer @param {() => void} again */
function identities(app, answer, again) {
  return [
    el("ul", { class: "rows" }, ...answer.items.map((item) => row(`${item.provider} · ${item.email ?? ""}`, "",
      deletes(app, `/account/identities/${item.id}`, again)))),
    answer.items.length === 0 && el("p", { class: "quiet-words" }, text.passwordOnly),
  ];
}

/** @param {string} name @param {string} words @param {() => void} remove */
function row(name, words, remove) {
  return el("li", {}, el("div", { class: "row-words" }, el("strong", {}, name), words && el("p", { class: "quiet-words" }, words)),
    el("button", { "aria-label": text.removeOf(name), onclick: () => remove() }, text.remove));
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
    el("ul", { class: "rows" }, ...answer.items.map((item) => row(item.email ?? text.anybody,
      item.usedAt ? text.invitationUsed : text.goodUntil(describeTime(item.expiresAt, app.model.zone)),
      deletes(app, `/invitations/${item.id}`, again)))),
    el("details", {}, el("summary", {}, text.invite), form),
  ];
}

/** @param {App} app @param {Answer} answer @param {() => void} again @param {Tell} tell */
function tokens(app, answer, again, tell) {
  const scope = select({ "aria-label": text.scope }, Object.entries(text.scopes));
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
    el("ul", { class: "rows" }, ...answer.items.map((item) => row(item.name, text.scopes[/** @type {"read"} */ (item.scope)],
      deletes(app, `/tokens/${item.id}`, again)))),
    answer.items.length === 0 && el("p", { class: "quiet-words" }, text.noTokens),
    el("details", {}, el("summary", {}, text.makeToken), form),
  ];
}

/** @param {App} app @param {Answer} answer */
function events(app, answer) {
  return [el("ul", { class: "rows" }, ...answer.items.map((item) => el("li", {},
    el("div", { class: "row-words" }, /** @type {Record<string, string>} */ (text.eventKinds)[item.kind] ?? item.kind,
      el("p", { class: "quiet-words" }, [item.device, item.network].filter(Boolean).join(" · "))),
    el("time", { class: "quiet-words", dateTime: item.at }, describeTime(item.at, app.model.zone)))))];
}
