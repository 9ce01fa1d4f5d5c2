// The service worker of the web board. The server puts `shell` before this text: the version and the files of the
// pages that it carries. Another version is another text, so that the browser installs it.
/* global shell */
"use strict";

// With the texts of all languages: another language needs no other worker, and no connection.
const cacheName = `shell-${shell.version}`;

self.addEventListener("install", (event) => {
  // Where it can, the browser takes the files from the cache by itself, without starting this script and asking it for each.
  const source = { cacheName };
  event.addRoutes?.([
    { condition: { urlPattern: { pathname: "/board/*" } }, source }, { condition: { urlPattern: { pathname: "/client/*.js" } }, source }, { condition: { urlPattern: { pathname: "/", search: "" } }, source },
  ]);
  event.waitUntil(install());
});

async function install() {
  // Rebuilt, so that it is the last of the keys.
  await caches.delete(cacheName);
  const cache = await caches.open(cacheName);
  try {
    // All or none: a shell of two versions would not fit together.
    await cache.addAll(shell.files.map((file) => new Request(file, { cache: "no-cache" })));
  } catch (problem) {
    await caches.delete(cacheName);
    throw problem;
  }
}

// From a page that found no page half loaded: files of two versions would not fit together, and a browser that replaces a worker
// while it answers may never answer.
self.addEventListener("message", (event) => {
  event.waitUntil(self.skipWaiting());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

async function activate() {
  const others = (await caches.keys()).filter((name) => name.startsWith("shell-") && name !== cacheName);
  // The shell before this one stays: the browser may still be reading from it.
  for (const name of others.slice(0, -1)) await caches.delete(name);
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  // The board is one page, whatever is asked of it behind the question mark.
  const file = url.pathname;
  if (shell.files.includes(file)) event.respondWith(answer(request, file));
});

/** Opened once: the page asks for dozens of files at a time. */
let opened;

async function answer(request, file) {
  try {
    opened ??= caches.open(cacheName);
    const kept = await (await opened).match(file);
    if (kept) return kept;
  } catch {
    // The device cannot read it at the moment.
    opened = undefined;
  }
  return fetch(request);
}

const doneCache = "kanbase-done";

// Browsers end the subscription of a page whose pushes show nothing: each shows a notification, also one that cannot be read.
self.addEventListener("push", (event) => {
  event.waitUntil(notify(event.data));
});

async function notify(data) {
  let message = {};
  try { message = Object(data.json()); } catch {}
  const words = (value) => (typeof value === "string" ? value : "");
  // It becomes a part of an address.
  const [taskId = null] = words(message.taskId).match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) ?? [];
  // No storage may keep the notification from being shown.
  const waiting = new Promise((resolve) => { setTimeout(resolve, 2000, {}); });
  const { title, locale } = await Promise.race([known(taskId).catch(() => ({})), waiting]);
  const tag = words(message.notificationId);
  const done = { ko: "완료", ja: "完了" }[(locale ?? navigator.language).slice(0, 2)] ?? "Done";
  await self.registration.showNotification(title || words(message.title) || "Kanbase", {
    tag, renotify: tag !== "" && message.kind === "test", icon: "/icons/icon-192.png", timestamp: Date.parse(message.fireAt) || Date.now(),
    data: { taskId }, actions: taskId ? [{ action: "done", title: done }] : [],
  });
}

// The title of the task and the language, from this device: the server need not send the title.
async function known(taskId) {
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith("kanbase-")) continue;
    const database = await new Promise((resolve, reject) => {
      const request = indexedDB.open(name);
      // A log-out erased it meanwhile.
      request.onupgradeneeded = () => request.transaction.abort();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const read = (store, key) => new Promise((resolve, reject) => {
      const request = database.transaction(store).objectStore(store).get(key);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    try {
      const [task, settings] = await Promise.all([taskId && read("task", taskId), read("settings", "settings")]);
      if (task || !taskId) return { title: task?.title, locale: settings?.locale };
    } finally {
      database.close();
    }
  }
  return {};
}

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  const taskId = notification.data?.taskId ?? null;
  event.waitUntil(action === "done" && taskId ? complete(taskId, notification) : showTask(taskId, notification));
});

// Open boards, the one last used first.
async function boards() {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return pages.filter(({ url }) => new URL(url).pathname === "/");
}

// A board completes it, by the rules of its edits. It is kept until one has, also over closed pages, a log-in and a lost connection.
async function complete(taskId, notification) {
  await (await caches.open(doneCache)).put(`/done/${taskId}`, new Response(String(Date.now())));
  notification.close();
  const pages = await boards();
  for (const page of pages) page.postMessage({ done: true });
  if (pages.length === 0) await self.clients.openWindow("/");
}

async function showTask(taskId, notification) {
  notification.close();
  const [page] = await boards();
  try {
    await page.focus();
    page.postMessage({ task: taskId });
  } catch {
    // There is none, or it is being closed.
    await self.clients.openWindow(taskId ? `/?task=${taskId}` : "/");
  }
}
