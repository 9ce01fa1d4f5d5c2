// Makes a call from the page, with the token that the reader gave, else with that of the board's session.
import { $, code, el } from "./dom.js";
import { bodySample, resolve } from "./spec.js";

/** The token to send: the one in the field, else the one of the session on this server's board. */
export function token() {
  const given = $("#token").value.trim();
  if (given) return given;
  try {
    return JSON.parse(localStorage.getItem("kanbase.session"))?.token ?? null;
  } catch {
    return null;
  }
}

/** The form of a call. Nothing is sent before the reader presses the button. */
export function form(operation) {
  const fields = operation.parameters.map((parameter) => [parameter, field(parameter)]);
  const type = operation.bodyTypes.find(([name]) => name === "application/json") ?? operation.bodyTypes[0];
  const text = type && /json$/.test(type[0]) ? el("textarea", { spellcheck: "false", rows: "8" }) : null;
  if (text) {
    const example = operation.bodyTypes.find(([, media]) => media.example !== undefined || media.examples) ?? type;
    text.value = JSON.stringify(bodySample(example), null, 2);
  }
  const file = type && !text ? el("input", { type: "file" }) : null;
  const button = el("button", { type: "submit" }, `Send ${operation.method}`);
  const answer = el("div", { class: "answer", "aria-live": "polite" });
  return el("form", { submit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    answer.replaceChildren(el("p", {}, "Sending…"));
    answer.replaceChildren(...(await send(operation, fields, type?.[0], text?.value ?? file?.files[0])));
    button.disabled = false;
  } },
    ...fields.map(([parameter, input]) => el("label", {}, el("span", {}, parameter.name,
      parameter.required && el("span", { class: "required" }, "required")), input)),
    text && el("label", { class: "wide" }, el("span", {}, "Body"), text),
    file && el("label", { class: "wide" }, el("span", {}, "File"), file),
    button, answer);
}

function field(parameter) {
  const schema = resolve(parameter.schema);
  const required = parameter.required;
  if (schema.enum || schema.type === "boolean") {
    const values = schema.enum ?? ["true", "false"];
    return el("select", { required }, el("option", { value: "" }, "—"), ...values.map((value) => el("option", {}, value)));
  }
  const input = el("input", { required, spellcheck: "false", autocomplete: "off", placeholder: parameter.example ?? schema.default ?? "" });
  if (required && parameter.in === "query" && parameter.example !== undefined) input.value = parameter.example;
  return input;
}

async function send(operation, fields, type, body) {
  let path = operation.path;
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const [parameter, input] of fields) {
    const value = input.value;
    if (value === "") continue;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.in === "query") query.append(parameter.name, value);
    else headers.set(parameter.name, value);
  }
  const bearer = token();
  if (bearer && !operation.open) headers.set("Authorization", `Bearer ${bearer}`);
  if (body !== undefined) headers.set("Content-Type", type);
  const address = path + (query.size ? `?${query}` : "");
  const start = performance.now();
  try {
    const answer = await fetch(address, { method: operation.method, headers, body, cache: "no-store" });
    const time = Math.round(performance.now() - start);
    const shown = await content(answer);
    const fieldsOfAnswer = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    return [
      el("p", { class: answer.ok ? "good" : "bad" }, `${answer.status} ${answer.statusText} · ${time} ms`),
      el("pre", { class: "fields", tabindex: "0" }, `${operation.method} ${address}\n\n${fieldsOfAnswer}`),
      ...shown,
    ];
  } catch (error) {
    return [el("p", { class: "bad" }, `The server did not answer: ${error.message}`)];
  }
}

async function content(answer) {
  const type = answer.headers.get("Content-Type") ?? "";
  if (type.startsWith("image/")) {
    return [el("img", { alt: "The image of the answer", src: URL.createObjectURL(await answer.blob()) })];
  }
  const text = await answer.text();
  if (text === "") return [];
  if (!/json/.test(type)) return [code(text.slice(0, 100_000), "the answer")];
  try {
    return [code(JSON.stringify(JSON.parse(text), null, 2).slice(0, 100_000), "the answer")];
  } catch {
    return [code(text.slice(0, 100_000), "the answer")];
  }
}
