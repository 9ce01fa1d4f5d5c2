// Tasks from elsewhere: what a file would bring, the import, and the way back.
import { showAnswer } from "./answers.js";
import { Problem } from "../client/kanbase.js";
import { call, faultOf } from "./api.js";
import { describeTime } from "./dates.js";
import { el, field, quiet, refill, select, text } from "./page.js";
import { columns } from "./model.js";

/** By their own names in every language. */
const formats = /** @type {Record<string, string>} */ ({ kanbase: "Kanbase", trello: "Trello", todoist: "Todoist", vikunja: "Vikunja", firestore: "Firestore", csv: "CSV" });

/** In bytes, what the server takes at once. */
const largestFile = 64 * 1048576;

/**
 * What the server says of a list or a status that it does not know ends with the rule for it. In a rule, a comma and an equals sign
 * would end the name.
 */
const advice = /the rule ((?:list|status):[^,=]+)=(?:todo|doing)\.$/;

/** @param {App} app */
export function importForm(app) {
  const file = el("input", { type: "file", class: "hidden", tabIndex: -1, "aria-hidden": "true" });
  const choose = el("button", { onclick: () => file.click() }, text.importJSON);
  const report = el("div", { role: "status" });
  const list = el("div", {});
  /** @type {(() => void)[]} */
  const stops = [];
  const again = () => stops.push(showAnswer(app, list, "/imports", rows, []));
  /** Counts the questions: an answer to an earlier one is not shown. */
  let turn = 0;
  const clear = (/** @type {Node[]} */ ...content) => { turn += 1; report.replaceChildren(...content); };
  const format = select({ onchange: () => clear() }, Object.entries(formats));

  /** @param {Chosen} chosen @returns {Promise<any>} the server's report, or why there is none */
  const send = async ({ bytes, from, rules }, isDryRun = false) => {
    const headers = { "Content-Type": /csv|todoist/.test(from) ? "text/csv" : "application/json" };
    const said = rules.size ? `&rules=${encodeURIComponent([...rules].map((rule) => rule.join("=")).join())}` : "";
    return call("POST", `/import?format=${from}&dryRun=${isDryRun}&timeZone=${encodeURIComponent(app.model.zone)}${said}`, { body: bytes, headers, seconds: 120 })
      .catch((problem) => { if (problem instanceof Problem) return problem; throw problem; });
  };

  /** @param {Chosen} chosen */
  const look = async (chosen) => {
    const mine = turn;
    const answer = await send(chosen, true);
    if (mine === turn) show(chosen, answer);
  };

  file.addEventListener("change", async () => {
    const [body] = file.files ?? [];
    if (!body) return;
    const from = format.value;
    const heading = el("p", {}, el("strong", {}, body.name), ` · ${formats[from]}`);
    clear(heading, quiet(text.reading));
    const mine = turn;
    // The import is of the same bytes as the dry run, whatever becomes of the file.
    const bytes = body.size > largestFile ? null : await body.arrayBuffer().catch(() => null);
    file.value = "";
    if (mine !== turn) return;
    if (bytes) look({ heading, from, bytes: new Blob([bytes]), rules: new Map() });
    else clear(heading, el("p", { class: "fault" }, text.fileRefused));
  });

  /** @param {Chosen} chosen @param {any} answer */
  const show = (chosen, answer) => {
    const { rules, heading } = chosen;
    const isRefused = answer instanceof Problem;
    const { errors = [], notes = [] } = /** @type {Record<string, any[]>} */ (isRefused ? answer.document ?? {} : answer);
    const names = new Set([...rules.keys(), ...[...errors, ...notes].map(ruleOf).filter(Boolean)]);
    const lines = (/** @type {any[]} */ items, /** @type {(item: any) => string} */ say) => el("ul", {}, ...items.filter((item) => !names.has(ruleOf(item))).slice(0, 20).map((item) => el("li", {}, say(item))));
    const fault = el("p", { class: "fault" }, isRefused && (errors.length ? text.importRefused(errors.length) : refusalOf(answer)));
    const button = el("button", { class: "primary", hidden: isRefused, onclick: async () => {
      const mine = turn;
      button.disabled = true;
      fault.textContent = "";
      const done = await send(chosen);
      button.disabled = false;
      const isDone = !(done instanceof Problem);
      if (isDone) again();
      if (mine !== turn) return;
      if (isDone) clear(heading, el("p", { class: "note" }, text.imported), countsTable(done));
      else if (done.document?.errors) show(chosen, done);
      else fault.textContent = refusalOf(done);
      if (document.activeElement === document.body) (button.isConnected ? button : choose).focus();
    } }, text.importNow);
    refill(report, () => report.replaceChildren(heading, isRefused ? fault : countsTable(answer),
      lines(errors, ({ row, detail }) => (row ? `${text.row(row)}: ${detail}` : detail)),
      lines(notes, ({ detail, count }) => `${detail} (${count})`),
      names.size ? quiet(text.whichColumn) : "",
      ...[...names].map((name) => {
        const control = select({ data: { of: name }, onchange: () => {
          turn += 1;
          button.disabled = true;
          if (control.value) rules.set(name, control.value);
          else rules.delete(name);
          look(chosen);
        } }, [["", "—"], ...columns.map((status) => /** @type {const} */ ([status, text[status]]))]);
        control.value = rules.get(name) ?? "";
        return field(name.replace(/.*?:/, ""), control);
      }), button, isRefused ? "" : fault));
  };

  const takeBack = (/** @type {string} */ id) => confirm(text.reallyTakeBack) && app.attempt(async () => {
    app.toast(text.takenBack(await call("DELETE", `/imports/${id}`)));
    // What is shown was before that.
    clear();
    again();
  });
  const rows = (/** @type {Answer} */ { items }) => [el("ul", { class: "rows" }, ...items.map((item) => {
    const name = `${formats[item.format] ?? item.format} · ${describeTime(item.createdAt, app.model.zone)}`;
    const counts = outcomes.map((key, index) => `${text.outcomes[index]} ${item[key]}`).join(" · ");
    return el("li", {}, el("div", { class: "row-words" }, el("strong", {}, name), quiet(`${text.allKinds}: ${counts}`)),
      el("button", { "aria-label": `${text.takeBack}: ${name}`, onclick: () => takeBack(item.id) }, text.takeBack));
  }))];
  again();
  return { elements: [field(text.format, format), choose, file, report, list], stop: () => stops.forEach((stop) => stop()) };
}

/** @param {{detail: string}} remark */
const ruleOf = ({ detail }) => advice.exec(detail)?.[1] ?? "";

/** @param {Problem} problem */
const refusalOf = (problem) => (problem.code === "payload_too_large" ? text.fileRefused : faultOf(problem));

const outcomes = /** @type {const} */ (["created", "updated", "unchanged", "skipped"]);

/** @param {any} counts a report of an import */
function countsTable(counts) {
  const kinds = /** @type {[string, string][]} */ ([["tasks", text.task], ["categories", text.category], ["ddays", text.dday]])
    .filter(([kind]) => kind === "tasks" || counts.counts[kind] > 0);
  return el("table", {},
    el("thead", {}, el("tr", {}, el("td", {}), ...kinds.map(([, name]) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...outcomes.map((key, index) => el("tr", {}, el("th", { scope: "row" }, text.outcomes[index]),
      // Rows without a task are skipped.
      ...kinds.map(([kind]) => el("td", {}, key !== "skipped" ? counts[kind][key] : kind === "tasks" ? counts.skipped : 0))))));
}
