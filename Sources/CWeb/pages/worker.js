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
    { condition: { urlPattern: { pathname: "/board/*" } }, source }, { condition: { urlPattern: { pathname: "/", search: "" } }, source },
  ]);
  event.waitUntil(install());
});

async function install() {
  // Made anew, so that it is the last of the keys.
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
