// Pictures of categories, D-days and the account. Shown pictures are cached on the device with the account's data.
import { call } from "./api.js";
import { el } from "./dom.js";

/** @type {{engine: Engine | null}} */
export const album = { engine: null };

/**
 * Addresses of pictures in the memory of the page, by id.
 * @type {Map<string, Promise<string>>}
 */
const addresses = new Map();

/** @param {string} id @returns {HTMLImageElement} */
export function picture(id) {
  // A format that this browser does not know is left out.
  const image = el("img", { class: "picture", alt: "", onerror: () => image.remove() });
  let address = addresses.get(id);
  if (!address) {
    addresses.set(id, address = load(id));
    // Retried when it is shown the next time.
    address.catch(() => addresses.delete(id));
  }
  address.then((url) => { image.src = url; }, () => image.remove());
  return image;
}

/** @param {string} id */
async function load(id) {
  const kept = album.engine?.mirror.answer.get(`/images/${id}`);
  if (kept) return URL.createObjectURL(kept);
  const answer = await call("GET", `/images/${id}`, { raw: true });
  const bytes = await answer.blob();
  keep(id, bytes);
  return URL.createObjectURL(bytes);
}

/** @param {string} id @param {Blob} bytes */
export function keep(id, bytes) {
  album.engine?.commit([{ store: "answer", key: `/images/${id}`, value: bytes }]);
}
