// Waits until the server has all edits of this device, and this device what the server had.
import { closed, isOver, Problem } from "./connection.js";
import { receive } from "./sync.js";

/**
 * @param {Engine} engine @param {import("./live.js").Source} source that says when something changed
 * @param {boolean} [isAgain] after a request that was on its way before, perhaps into another network, and failed since
 */
export async function catchUp(engine, source, isAgain) {
  // Rejects with the reason if the server cannot be reached.
  await engine.connection.call("GET", "/account", { quiet: true });
  // From now on it is of this try. Another tab that talks to the server has its own.
  if (engine.isLeading) engine.setState({ problem: null });
  engine.retry();
  await new Promise((resolve, reject) => {
    let stop = () => {};
    const check = () => {
      const { phase, full, sending, problem } = engine.state;
      if (phase === "live" && engine.mirror.outbox.size === 0) resolve(undefined);
      else if (engine.closing.signal.aborted) reject(closed());
      else if (phase === "loggedOut") reject(new Problem(401, { code: "unauthorized", detail: "Log in first." }));
      else if (problem && !sending && (engine.isLeading || problem.code === "unsent_edits")) problem.status || isAgain ? reject(new Problem(problem.status, { code: problem.code, detail: problem.message })) : resolve(catchUp(engine, source, true));
      else if (full && !sending) reject(new Problem(507, { code: "quota_exceeded", detail: "The account is full. Delete something." }));
      else return;
      stop();
    };
    source.watchers.add(check);
    stop = () => source.watchers.delete(check);
    check();
  });
  await pull(engine);
}

/**
 * Reads what the server has now: the stream may be a moment behind.
 * @param {Engine} engine
 */
async function pull(engine) {
  try {
    for (let { cursor } = engine.feed, hasMore = true; hasMore;) {
      const page = await engine.feed.page(cursor);
      await engine.commit(receive(engine.mirror, page.changes, null));
      ({ cursor, hasMore } = page);
    }
  } catch (problem) {
    if (!isOver(problem)) throw problem;
  }
}
