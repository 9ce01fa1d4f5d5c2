// What this browser keeps for notifications, apart from the data of the account. worker.js names the cache too.

/** The tasks whose "Done" was pressed in a notification, until a board has completed them. */
export const doneCache = "kanbase-done";

/** Ends the notifications of this browser: it takes none, and shows none. */
export async function unsubscribe() {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    for (const notification of await registration?.getNotifications?.() ?? []) notification.close();
    // The push service refuses what is sent from now on, so that the server forgets it too.
    await (await registration?.pushManager?.getSubscription())?.unsubscribe();
  } catch {
    // Some browsers refuse all of it in private windows, where there is nothing to end.
  }
}

/** Also forgets which tasks to complete: for a log-out. */
export async function forgetDevice() {
  await Promise.all([unsubscribe(), self.caches?.delete(doneCache).catch(() => {})]);
}
