// The service worker of the web board. The server puts `shell` before this text: the version and the files of the
// pages that it carries. Another version is another text, so that the browser installs it.
/* global shell */
"use strict";

// Of the languages, only the one that the page speaks.
const language = new URL(location.href).searchParams.get("language");
const files = shell.files.filter((file) => !file.startsWith("/board/texts-") || file === `/board/texts-${language}.js`);
const cacheName = `shell-${shell.version}-${language}`;

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
    await cache.addAll(files.map((file) => new Request(file, { cache: "no-cache" })));
  } catch (problem) {
    await caches.delete(cacheName);
    throw problem;
  }
  await self.skipWaiting();
}

self.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

async function activate() {
  const others = (await caches.keys()).filter((name) => name.startsWith("shell-") && name !== cacheName);
  // The shell before this one stays: pages may be half loaded from it.
  for (const name of others.slice(0, -1)) await caches.delete(name);
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  // The board is one page, whatever is asked of it behind the question mark. Another language may have been put into the cache.
  const file = url.pathname;
  if (shell.files.includes(file)) event.respondWith(answer(request, file));
});

/** Opened once: the page asks for dozens of files at a time. */
let opened;

async function answer(request, file) {
  opened ??= caches.open(cacheName);
  return (await (await opened).match(file)) ?? fetch(request);
}
