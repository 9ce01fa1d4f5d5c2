// Runs in Node what tests send, a JSON object a line: the body of an async function with `library` and `argument`.
import { createInterface } from "node:readline";

const library = await import(process.argv[2]);
const AsyncFunction = (async () => {}).constructor;
for await (const line of createInterface({ input: process.stdin })) {
  const { body, argument } = JSON.parse(line);
  let answer;
  try {
    answer = { value: await new AsyncFunction("library", "argument", body)(library, argument) ?? null };
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit();
