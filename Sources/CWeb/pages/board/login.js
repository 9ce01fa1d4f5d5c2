// Log-in, sign-up and password reset, shown instead of the board, so that nothing closes them.
import { Problem } from "../client/kanbase.js";
import { ability, beginSession, call, faultOf, keptEdits, logIn } from "./api.js";
import { el, field, text } from "./page.js";
import { begin, providers } from "./providers.js";
import { mark } from "./shell.js";

/** @param {{mode?: LoginMode, note?: string, returned?: Returned | null, done: () => void}} options `returned` from a provider */
export async function showLogin({ mode = "logIn", note = "", returned, done }) {
  const query = new URLSearchParams(location.search);
  const { features, signUp } = await ability();
  const isOffered = (/** @type {LoginMode} */ mode) => mode === "logIn" || (mode === "signUp" ? signUp === "open" || signUp === "invite" : features.includes("mail"));
  const inputs = {
    email: inputOf("email", { autocomplete: "username" }),
    password: inputOf("password"),
    displayName: inputOf("displayName", { autocomplete: "name", required: false }),
    invitation: inputOf("invitation", { autocomplete: "off", required: false, value: returned?.invitation || query.get("invitation") || "" }),
    code: inputOf("code", { autocomplete: "one-time-code", value: query.get("code") ?? "" }),
    newPassword: inputOf("newPassword"),
  };
  const ways = el("div", { class: "ways" });
  /** @type {Proof | null} an identity that the account gets once its password is here */
  let unlinked = null;
  const main = el("main", { class: "entry", id: "main", tabIndex: -1 });

  /** @param {LoginMode} next @param {string} [message] */
  const show = (next, message = "") => {
    const names = /** @type {(keyof typeof inputs)[]} */ (
      { logIn: ["email", "password"], signUp: ["email", "newPassword", "displayName", "invitation"], forgot: ["email"], reset: ["code", "newPassword"] }[next]);
    const fault = el("p", { class: "fault", role: "alert" });
    const button = el("button", { type: "submit", class: "primary wide" }, text[next]);
    const form = el("form", { class: "card-like" },
      el("h1", {}, text[next]), message && el("p", { class: "note", role: "status" }, message),
      ...names.map((name) => field(text[name], inputs[name])), fault, button,
      ["logIn", "signUp"].includes(next) && ways, el("div", { class: "links" },
        ...others[next].filter(isOffered).map((other) => el("button", { class: "link", onclick: () => show(other) }, text[`to_${other}`]))));
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
    const made = await logIn({ email: email.value, password: password.value });
    // The log-in holds without it; the next sign-in with the provider asks again.
    if (unlinked) await call("POST", "/account/identities", { body: { ...unlinked, password: password.value }, headers: { Authorization: `Bearer ${made.token}` }, quiet: true }).catch(() => {});
    await enter(made);
  };

  /** @param {Session} made */
  const enter = async (made) => {
    const kept = await keptEdits();
    if (kept && kept.account !== made.account && !confirm(text.otherKept(kept.count))) {
      await call("DELETE", "/sessions/current", { headers: { Authorization: `Bearer ${made.token}` }, quiet: true });
      throw new Problem(0, { detail: text.keptStays });
    }
    inputs.password.value = inputs.newPassword.value = "";
    await beginSession(made);
    done();
  };

  /** @param {Proof} proof @param {string} invitation */
  const signIn = async (proof, invitation) => {
    try {
      await enter(await logIn({ ...proof, ...(invitation && { invitation }) }));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code === "link_required") unlinked = proof;
      const words = unlinked ? text.linkRequired(proof.provider) : problem.status === 401 ? problem.message : faultOf(problem);
      show(problem.code.startsWith("invitation") ? "signUp" : "logIn", words);
    }
  };

  document.body.replaceChildren(main, el("div", { id: "announcer", class: "hidden", "aria-live": "polite" }));
  document.title = `${text[mode]} · Kanbase`;
  const kept = await keptEdits();
  show(mode, `${returned?.fault ?? note} ${kept ? text.keptHere(kept.count) : ""}`.trim());
  if (returned?.proof) await signIn(returned.proof, returned.invitation);
  for (const provider of await providers()) {
    ways.append(el("button", { class: "wide", onclick: () => begin(provider, inputs.invitation.value.trim()) }, text.signInWith(provider.name)));
  }
}

/** @type {Record<LoginMode, LoginMode[]>} */
const others = { logIn: ["signUp", "forgot"], signUp: ["logIn"], forgot: ["logIn", "reset"], reset: ["logIn"] };

/** @type {Record<string, Record<string, any>>} */
const kinds = {
  password: { type: "password", autocomplete: "current-password" }, newPassword: { type: "password", autocomplete: "new-password", minLength: 8 },
  email: { type: "email", autocomplete: "email" },
};

/** @param {string} name @param {Record<string, any>} [props] */
export function inputOf(name, props) {
  return el("input", { required: true, name, ...kinds[name], ...props });
}

/**
 * What a form does, once at a time; it shows why it failed.
 * @param {HTMLFormElement} form @param {HTMLButtonElement} button @param {HTMLElement} fault @param {() => Promise<any>} run
 */
export function onSubmit(form, button, fault, run) {
  // What the browser finds wrong is not sent: the answer to the last attempt must not stand beside it.
  form.addEventListener("invalid", () => { fault.textContent = ""; }, true);
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
