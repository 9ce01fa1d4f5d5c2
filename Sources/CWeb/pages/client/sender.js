// Sends the outbox, a batch at a time, until it is empty or the server cannot be reached. An edit that the account has no room for
// waits, and the others go on.
import { isOver, notKanbase, Problem, reasonOf } from "./connection.js";
import { batch, request, settle } from "./sync.js";

export class Sender {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.isBusy = false;
    /** Resolves when no request is on its way. */
    this.idle = Promise.resolve();
    this.limit = batch;
    /** Milliseconds until the next try. */
    this.wait = 500;
    /** @type {Set<string>} the keys of the edits that the account has no room for */
    this.held = new Set();
  }

  push() {
    const { engine } = this;
    // While the whole state is read, an answer would be newer than a page that was read before it.
    if (!engine.isAdmitted || !engine.feed.cursor || this.isBusy) return;
    this.isBusy = true;
    this.idle = this.send();
  }

  async send() {
    const { engine } = this;
    clearTimeout(this.timer);
    const { signal } = engine.leading;
    try {
      while (!signal.aborted && engine.feed.cursor) {
        const next = request(engine.mirror, this.limit, this.held);
        if (!next) break;
        engine.setState({ sending: true });
        const results = await this.ask(next, signal);
        // Of another log-in.
        if (signal.aborted) break;
        await this.take(next.sent, results);
        this.limit = Math.min(this.limit * 2, batch);
      }
      // There may be room later.
      if (this.held.size > 0) this.again(60_000, 0, () => this.retry());
    } catch (error) {
      if (!signal.aborted) await this.failed(/** @type {any} */ (error));
    } finally {
      this.isBusy = false;
      engine.setState({ sending: false, full: this.held.size > 0 });
    }
  }

  /** @param {NonNullable<ReturnType<typeof request>>} next @param {AbortSignal} signal @returns {Promise<any[]>} its results */
  async ask({ sent, body }, signal) {
    try {
      // The cursor tells whether the server still has the history of the edits. Of another one it takes none.
      const answer = await this.engine.connection.call("POST", "/sync", { body: { ...body, since: this.engine.feed.cursor }, signal });
      if (!Array.isArray(answer?.results)) throw notKanbase();
      if (this.engine.feed.isLive) this.engine.setState({ phase: "live", problem: null });
      return answer.results;
    } catch (problem) {
      if (problem instanceof Problem && problem.code === "quota_exceeded") return refused(sent, problem);
      throw problem;
    }
  }

  /** @param {Entry[]} sent @param {any[]} results */
  async take(sent, results) {
    const { engine, held } = this;
    await engine.commit(settle(engine.mirror, sent, results, new Date().toISOString(), held));
    if (held.size === 0) this.wait = 500;
    // A deletion may have made room.
    if (sent.some(({ key, mutation }) => mutation.op === "delete" && !engine.mirror.outbox.has(key))) held.clear();
  }

  /** @param {Problem} problem */
  async failed(problem) {
    if (!(problem instanceof Problem)) throw problem;
    const { engine } = this;
    const { status, code } = problem;
    if (status === 401) return;
    // The feed begins anew, and then the edits go on.
    if (isOver(problem)) return engine.feed.interrupt();
    // A refusal without a code is of a proxy. One that finds the request too large finds smaller ones right.
    const isPassing = status >= 500 || [0, 403, 408, 429].includes(status) || (code === "" && status !== 413);
    if (!isPassing) {
      // The whole request was refused: smaller requests find the edit at fault.
      if (this.limit > 1) this.limit = Math.ceil(this.limit * 0.125);
      else {
        const sent = request(engine.mirror, 1, this.held)?.sent ?? [];
        await this.take(sent, refused(sent, problem));
      }
      this.timer = setTimeout(() => this.push(), 100);
      return;
    }
    engine.setState({ problem: reasonOf(problem), ...(!status && { phase: "offline" }) });
    if (!status) {
      // The line may be too slow for so much.
      this.limit = Math.ceil(Math.min(this.limit, engine.mirror.outbox.size || 1) * 0.5);
    }
    this.again(15_000, problem.retryAfter ?? 0, () => this.push());
  }

  /** @param {number} most milliseconds @param {number} asked seconds @param {() => void} run */
  again(most, asked, run) {
    if (this.engine.leading.signal.aborted) return;
    this.wait = Math.min(this.wait * 2, most);
    this.timer = setTimeout(run, asked * 1000 || this.wait);
  }

  /** Sends also what had to wait. */
  retry() {
    this.held.clear();
    this.push();
  }

  close() {
    clearTimeout(this.timer);
  }
}

/** @param {Entry[]} sent @param {Problem} problem of the request as a whole */
function refused(sent, problem) {
  return sent.map(({ mutation: { mutationId } }) => ({ mutationId, status: "rejected", problem: problem.document ?? { code: "", detail: problem.message } }));
}
