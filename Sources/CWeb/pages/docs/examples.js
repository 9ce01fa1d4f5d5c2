// A call as a developer types it, with the address of this server.
import { bodySample } from "./spec.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const isLocal = () => /^(localhost|127\.|\[::1\])/.test(location.host);

/** What a call sends unless the reader says otherwise: the path, what must be in the query, and the example of the body. */
export function request(operation) {
  const value = (parameter) => parameter.example ?? Object.values(parameter.examples ?? {})[0]?.value;
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name) => {
    const parameter = operation.parameters.find((each) => each.in === "path" && each.name === name);
    return (parameter && value(parameter)) ?? `{${name}}`;
  });
  const query = operation.parameters.filter((parameter) => parameter.in === "query" && parameter.required)
    .map((parameter) => [parameter.name, String(value(parameter) ?? "")]);
  // A body of application/json fits every call; a PATCH takes it as well.
  const type = operation.bodyTypes.find(([name]) => name === "application/json") ?? operation.bodyTypes[0];
  const example = operation.bodyTypes.find(([, media]) => media.example !== undefined || media.examples) ?? type;
  const search = query.length ? `?${new URLSearchParams(query)}` : "";
  const json = type !== undefined && /json$/.test(type[0]);
  return {
    method: operation.method, address: location.origin + path + search,
    token: !operation.open && !isLocal(),
    type: type?.[0], body: json ? bodySample(example) : undefined, file: type !== undefined && !json,
  };
}

export const languages = { curl, swift, javascript };

function curl({ method, address, token, type, body, file }) {
  const parts = ["curl"];
  if (method !== "GET" && !(method === "POST" && body !== undefined)) parts.push(`-X ${method}`);
  parts.push(/[?&{}[\]]/.test(address) ? quoted(address) : address);
  if (token) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== undefined) parts.push(`--json ${quoted(JSON.stringify(body))}`);
  if (file) parts.push(`-H 'Content-Type: ${type}' --data-binary @FILE`);
  const line = parts.join(" ");
  return line.length <= 100 ? line : parts.slice(0, -1).join(" ") + ` \\\n  ${parts.at(-1)}`;
}

function swift({ method, address, token, type, body, file }) {
  const lines = [`var request = URLRequest(url: URL(string: "${address}")!)`];
  if (method !== "GET") lines.push(`request.httpMethod = "${method}"`);
  if (token) lines.push('request.setValue("Bearer \\(token)", forHTTPHeaderField: "Authorization")');
  if (body !== undefined || file) lines.push(`request.setValue("${type}", forHTTPHeaderField: "Content-Type")`);
  if (body !== undefined) {
    const text = JSON.stringify(body, null, 2).split("\n").map((line) => `    ${line}`).join("\n");
    lines.push(`request.httpBody = Data(#"""\n${text}\n    """#.utf8)`);
  }
  if (file) lines.push("request.httpBody = try Data(contentsOf: file)");
  lines.push("let (data, response) = try await URLSession.shared.data(for: request)");
  return lines.join("\n");
}

function javascript({ method, address, token, type, body, file }) {
  const headers = [];
  if (body !== undefined || file) headers.push(`"Content-Type": "${type}"`);
  if (token) headers.push("Authorization: `Bearer ${token}`");
  const options = [];
  if (method !== "GET") options.push(`method: "${method}"`);
  if (headers.length) options.push(`headers: { ${headers.join(", ")} }`);
  if (body !== undefined) options.push(`body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")})`);
  if (file) options.push("body: file");
  const tail = options.length ? `, {\n  ${options.join(",\n  ")},\n}` : "";
  return `const answer = await fetch("${address}"${tail});\nconsole.log(answer.status, await answer.text());`;
}
