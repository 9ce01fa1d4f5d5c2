// Notifications of this browser: the switch in the settings, and the subscription at the browser's push service. Subscriptions
// change, so the board subscribes at each start while the switch is on.
import { Problem, uuid } from "../client/kanbase.js";
import { ability, call } from "./api.js";
import { unsubscribe } from "./device.js";
import { el, language, panel, quiet, text } from "./page.js";

/** Where the browser keeps the id of this device at the server, while the switch is on. */
const deviceKey = "kanbase.device";
const deviceId = () => localStorage.getItem(deviceKey);

/** The key with which the server signs its pushes; null when it notifies no browser. */
async function serverKey() {
  const { features } = await ability();
  return features.includes("push") ? (await call("GET", "/push")).webPush?.publicKey ?? null : null;
}

/** Why there are no notifications here, in words; empty when there may be. */
function obstacle() {
  // Of iOS alone: it has them for apps on the home screen.
  if (/** @type {any} */ (navigator).standalone === false) return text.pushInstall;
  return navigator.serviceWorker && "PushManager" in window && "Notification" in window ? "" : text.pushUnsupported;
}

const isDenied = () => !obstacle() && Notification.permission === "denied";

/** @param {string} key @param {string} id */
async function register(key, id) {
  // Without one it would never be ready.
  const { pushManager } = await navigator.serviceWorker.getRegistration() ? await navigator.serviceWorker.ready : { pushManager: null };
  if (!pushManager) throw new Problem(0, { detail: text.pushUnsupported });
  const bytes = Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const subscribe = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes });
  let subscription;
  try {
    subscription = await subscribe().catch(async (error) => {
      // The server had another key, before its data were lost.
      if (error.name !== "InvalidStateError") throw error;
      await (await pushManager.getSubscription())?.unsubscribe();
      return subscribe();
    });
  } catch (error) {
    throw new Problem(0, { detail: /** @type {any} */ (error).name === "NotAllowedError" ? text.pushDenied : text.pushFailed });
  }
  await call("PUT", `/devices/${id}`, { body: { kind: "webpush", subscription: subscription.toJSON(), locale: language } });
}

/** Subscribes again, when the switch is on. */
export async function renew() {
  const id = deviceId();
  if (!id || obstacle() || Notification.permission !== "granted") return;
  const key = await serverKey();
  if (key) await register(key, id);
}

/** @param {App} app */
async function turnOn(app) {
  const key = await serverKey();
  if (await Notification.requestPermission() !== "granted") throw new Problem(0, { detail: text.pushDenied });
  if (!key) throw new Problem(0, { detail: text.problems.push_off });
  const id = deviceId() ?? uuid();
  await register(key, id);
  localStorage.setItem(deviceKey, id);
  const { settings, zone } = app.model;
  // The server knows no other zone when it reminds of all-day tasks.
  if (!settings.timeZone) app.engine.edit([{ type: "settings", op: "patch", id: "settings", value: { timeZone: zone } }]);
}

async function turnOff() {
  const id = deviceId();
  localStorage.removeItem(deviceKey);
  await unsubscribe();
  // Where it fails, the push service tells the server.
  await call("DELETE", `/devices/${id}`).catch(() => {});
}

/** @param {App} app */
async function test(app) {
  // The server may have removed the device.
  await renew();
  await call("POST", `/devices/${deviceId()}/test`);
  app.toast(text.testSent);
}

/**
 * Not there where the server notifies no browser.
 * @param {App} app
 */
export function pushPanel(app) {
  const box = el("input", { type: "checkbox" });
  const words = el("p", { class: "note", role: "status" });
  const button = el("button", { onclick: () => run(() => test(app)) }, text.testPush);
  const section = panel(text.notifications, el("label", { class: "check" }, box, el("span", {}, text.pushSwitch)), quiet(text.pushHint), words, button);
  section.hidden = !deviceId();
  const show = () => {
    box.checked = deviceId() !== null;
    box.disabled = obstacle() !== "" && !box.checked;
    button.disabled = false;
    button.hidden = !box.checked;
    words.textContent = obstacle() || (isDenied() ? text.pushDenied : "");
    words.hidden = !words.textContent;
  };
  const run = async (/** @type {() => Promise<void>} */ action) => {
    box.disabled = button.disabled = true;
    await app.attempt(action);
    show();
  };
  box.addEventListener("change", () => run(() => (box.checked ? turnOn(app) : turnOff())));
  show();
  serverKey().then((key) => { section.hidden = !key && !deviceId(); }, () => {
    // Without a connection nothing can be turned on.
  });
  return section;
}
