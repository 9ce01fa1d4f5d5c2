// What notifications ask of the board: to show a task, and to complete those whose "Done" was pressed. worker.js keeps these until
// they are done, so that none is lost whether a board was open or not.
import { tick } from "./actions.js";
import { doneCache } from "./device.js";

/** @type {App | null} */
let app = null;
/** Some are of tasks that this device does not have yet. */
let isWaiting = false;

navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  if (data.done) completeNoted();
  // At a log-in the task is shown afterwards.
  else if (app) app.router.go({ task: data.task });
  else if (data.task) history.replaceState(null, "", `/?task=${data.task}`);
});

/** @param {App} board that has read the disk */
export function followNotices(board) {
  app = board;
  app.watch((stores) => { if (isWaiting && stores.has("task")) completeNoted(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) completeNoted(); });
  return completeNoted();
}

/** One tab at a time: a second one finds nothing left. */
async function completeNoted() {
  const run = () => complete().catch(() => {
    // The browser cannot read it at the moment.
    isWaiting = true;
  });
  await (navigator.locks ? navigator.locks.request(doneCache, run).catch(run) : run());
}

async function complete() {
  if (!app || !await self.caches?.has(doneCache)) return;
  const cache = await caches.open(doneCache);
  isWaiting = false;
  for (const request of await cache.keys()) {
    const task = app.model.tasks.get(new URL(request.url).pathname.split("/")[2]);
    const pressedAt = Number(await (await cache.match(request))?.text());
    if (task && task.status !== "done") {
      tick(app, task.id);
      await app.engine.writing;
    } else if (!task && Date.now() - pressedAt < 86400000) {
      isWaiting = true;
      continue;
    }
    await cache.delete(request);
  }
}
