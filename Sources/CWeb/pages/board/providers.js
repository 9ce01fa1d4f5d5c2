// Signing in with a provider: to its page and back with an ID token, by the implicit flow of OpenID Connect Core 3.2, which takes no
// secret of a page.
import { parsed, uuid } from "../client/kanbase.js";
import { ability, call } from "./api.js";
import { text } from "./page.js";

/** What this tab asked for last. */
const askedKey = "kanbase.sign-in";

/** @returns {Promise<{name: string, clientId: string, authorizationEndpoint: string}[]>} none while the server does not tell */
export async function providers() {
  const { features } = await ability();
  if (!features.some((name) => name.startsWith("oidc:"))) return [];
  return (await call("GET", "/providers", { quiet: true }).catch(() => ({ items: [] }))).items;
}

/** @param {Awaited<ReturnType<typeof providers>>[number]} provider @param {string} invitation */
export function begin({ name, clientId, authorizationEndpoint }, invitation) {
  const address = new URL(authorizationEndpoint);
  // A javascript: address would run as a script of this page.
  if (!/^https?:$/.test(address.protocol)) return;
  const [state, nonce] = [uuid(), uuid()];
  sessionStorage.setItem(askedKey, JSON.stringify({ provider: name, state, nonce, invitation }));
  // Apple answers a scope with a form alone, and an ID token only beside a code.
  const isApple = name === "apple" || address.host === "appleid.apple.com";
  const query = {
    response_type: isApple ? "code id_token" : "id_token", response_mode: "fragment", ...(!isApple && { scope: "openid email" }),
    client_id: clientId, redirect_uri: `${location.origin}/`, state, nonce,
  };
  for (const [key, value] of Object.entries(query)) address.searchParams.set(key, value);
  location.assign(address);
}

/**
 * The answer of a provider, taken out of the address before anything else reads or keeps it; null without one.
 * @returns {Returned | null}
 */
function takeReturn() {
  const answer = new URLSearchParams(location.hash.slice(1));
  const [idToken, error] = [answer.get("id_token"), answer.get("error")];
  if (idToken === null && error === null) return null;
  history.replaceState(null, "", location.pathname + location.search);
  const asked = parsed(sessionStorage.getItem(askedKey));
  sessionStorage.removeItem(askedKey);
  // Another page made this address. It would log the user in to an account of somebody else.
  if (!asked || asked.state !== answer.get("state")) return { fault: text.signInLost, invitation: "" };
  const { provider, nonce, invitation } = asked;
  if (idToken) return { proof: { provider, idToken, nonce }, invitation };
  const isCancelled = ["access_denied", "user_cancelled_authorize"].includes(error ?? "");
  return { fault: isCancelled ? text.signInCancelled : text.signInRefused((error ?? "").slice(0, 60)), invitation };
}

/** In an address it would be in the history, and in what a person copies. */
export const returned = takeReturn();
