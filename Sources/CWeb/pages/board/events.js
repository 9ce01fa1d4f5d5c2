// Server-sent events over fetch, which can send a token where EventSource cannot.
import { headers, Problem } from "./api.js";

/** The server sends a comment when it sent nothing for 15 s: a stream that is silent for longer has ended. */
const patience = 18000;

/**
 * Reads a stream of events until it ends, breaks, or is silent for too long.
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {(event: Record<string, string>) => void} handle
 */
export async function follow(path, signal, handle) {
  const aborter = new AbortController();
  const stop = () => aborter.abort();
  signal.addEventListener("abort", stop);
  let timer = setTimeout(stop, patience);
  const alive = () => { clearTimeout(timer); timer = setTimeout(stop, patience); };
  try {
    const response = await fetch(path, { headers: headers({ Accept: "text/event-stream" }), signal: aborter.signal, cache: "no-store" });
    if (!response.ok || !response.body) throw new Problem(response.status, await response.json().catch(() => null));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventParser(handle);
    for (;;) {
      alive();
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(value);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Splits text into events (HTML §9.2.6), however it is cut. */
export class EventParser {
  /** @param {(event: Record<string, string>) => void} handle */
  constructor(handle) {
    this.handle = handle;
    this.rest = "";
    /** @type {Record<string, string>} */
    this.event = {};
  }

  /** @param {string} text */
  feed(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  /** @param {string} line */
  line(line) {
    if (line === "") {
      const { event } = this;
      this.event = {};
      if (event.event) this.handle(event);
      return;
    }
    const colon = line.indexOf(":");
    if (colon < 1) return;
    const name = line.slice(0, colon);
    const content = line.slice(colon + 1).replace(/^ /, "");
    this.event[name] = name === "data" && this.event.data !== undefined ? `${this.event.data}\n${content}` : content;
  }
}
