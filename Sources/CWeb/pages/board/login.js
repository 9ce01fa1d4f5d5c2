// Log-in, sign-up and password reset. Shown instead of the board, so that nothing closes it.
import { call, Problem } from "./api.js";
import { el, field } from "./dom.js";
import { mark } from "./shell.js";
import * as session from "./session.js";
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
    const button = el("button", { class: "primary wide" }, text[next]);
    const form = el("form", { class: "card-like" },
      el("h1", {}, text[next]), message && el("p", { class: "note", role: "status" }, message),
      ...names.map((name) => field(/** @type {any} */ (labels)[name], inputs[name])), fault, button,
      el("div", { class: "links" },
        ...others(next).map((other) => el("button", { type: "button", class: "link", onclick: () => show(other) }, text[`to_${other}`]))));
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

/** @param {Problem} problem */
export function faultOf(problem) {
  if (problem.code === "unreachable") return text.unreachable;
  if (problem.status === 401) return text.wrongLogin;
  if (problem.status === 429) return text.tooManyTries(problem.retryAfter ?? 60);
  return /** @type {Record<string, string>} */ (text.problems)[problem.code] ?? problem.message;
}
