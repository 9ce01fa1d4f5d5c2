// The server's description of itself, /openapi.json, in the form in which the page shows it.

let root = {};

export const methods = ["get", "post", "put", "patch", "delete"];

export async function load() {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status}`);
  root = await answer.json();
  return root;
}

export const nameOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1);

/** What a reference stands for; members that stand beside the reference win. */
export function resolve(thing) {
  if (!thing?.$ref) return thing ?? {};
  const found = thing.$ref.slice(2).split("/").reduce((part, name) => part?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], root);
  const { $ref, ...beside } = thing;
  return { ...resolve(found), ...beside };
}

/** Every operation, in the order of the file: `{id, method, path, tag, …}` with its references resolved one level deep. */
export function operations() {
  return Object.entries(root.paths).flatMap(([path, item]) => methods.filter((method) => item[method]).map((method) => {
    const operation = item[method];
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
    const body = operation.requestBody ? resolve(operation.requestBody) : null;
    return {
      ...operation, path, method: method.toUpperCase(), id: operation.operationId, tag: operation.tags?.[0] ?? "Other",
      parameters, body, bodyTypes: body ? Object.entries(body.content) : [],
      open: (operation.security ?? root.security ?? []).length === 0,
    };
  }));
}

export const schemas = () => root.components.schemas;

/** The types of a schema in words: `string or null`, `list of Task`. */
export function typeOf(schema) {
  const whole = resolve(schema);
  if (schema?.$ref && (whole.properties || whole.oneOf)) return nameOf(schema.$ref);
  const choices = schema?.anyOf ?? schema?.oneOf;
  if (choices) return choices.map(typeOf).join(" or ");
  if (schema?.allOf) return schema.allOf.map(typeOf).join(" with ");
  const types = [whole.type ?? (whole.properties ? "object" : whole.enum ? "string" : "any")].flat();
  return types.map((type) => (type === "array" ? `list of ${typeOf(whole.items)}` : type)).join(" or ");
}

/** The limits of a schema, in words. */
export function limitsOf(schema) {
  const whole = resolve(schema);
  const range = (low, high, unit) => {
    if (low === undefined && high === undefined) return null;
    if (low === undefined) return `at most ${high}${unit}`;
    return high === undefined ? `at least ${low}${unit}` : `${low}–${high}${unit}`;
  };
  return [
    whole.format,
    whole.enum && whole.enum.map((value) => (value === null ? "null" : value)).join(", "),
    range(whole.minLength, whole.maxLength, " characters"),
    range(whole.minItems, whole.maxItems, " items"),
    range(whole.minimum, whole.maximum, ""),
    whole.default !== undefined && `default ${JSON.stringify(whole.default)}`,
  ].filter(Boolean).join(" · ");
}

/** The schemas that unfold below this one: those that have members or alternatives. */
export function innerOf(schema) {
  if (!schema) return [];
  if (schema.$ref) {
    const whole = resolve(schema);
    if (whole.properties || whole.oneOf) return [{ name: nameOf(schema.$ref), schema: whole }];
    return whole.items || whole.anyOf ? innerOf(whole) : [];
  }
  if (schema.items) return innerOf(schema.items);
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return choices ? choices.flatMap(innerOf) : [];
}

/** An example of a value: the one that is written down, else one that is made from the schema. */
export function sample(schema, depth = 0) {
  const whole = resolve(schema);
  if (whole.example !== undefined) return whole.example;
  if (whole.default !== undefined) return whole.default;
  if (whole.enum) return whole.enum[0];
  const choices = whole.oneOf ?? whole.anyOf ?? whole.allOf;
  if (choices) return sample(choices[0], depth + 1);
  const type = [whole.type ?? "object"].flat()[0];
  if (type === "array") return depth > 3 ? [] : [sample(whole.items, depth + 1)];
  if (type === "object") {
    if (depth > 3) return {};
    return Object.fromEntries(Object.entries(whole.properties ?? {}).map(([name, inner]) => [name, sample(inner, depth + 1)]));
  }
  if (whole.format === "uuid") return "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11";
  return { string: "…", integer: whole.minimum ?? 1, number: 1, boolean: false }[type] ?? null;
}

/** The example of a body of this media type. */
export function bodySample([, media]) {
  if (media.example !== undefined) return media.example;
  const named = Object.values(media.examples ?? {})[0];
  return named ? named.value : sample(media.schema);
}
