// Language, time zone and theme, which are stored with the account for all devices; and export and import.
import { heading } from "./answers.js";
import { call, Problem } from "./api.js";
import { el, field } from "./dom.js";
import { text } from "./texts.js";

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
