// Language, zone and theme: kept with the account, so that every device has them.
import { heading } from "./answers.js";
import { el, field } from "./dom.js";
import { dataPanel } from "./data.js";
import { text } from "./texts.js";

/** @param {import("./app.js").App} app @param {HTMLElement} main */
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
