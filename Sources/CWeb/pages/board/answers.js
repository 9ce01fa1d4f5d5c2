// What the server answered, kept on the device: responses, which screens show at once and then anew, and pictures.
import { addImage, Problem, readImage } from "../client/kanbase.js";
import { call, faultOf } from "./api.js";
import { $, el, refill, text } from "./page.js";

/**
 * @param {App} app
 * @param {HTMLElement} place where it is shown
 * @param {string} path
 * @param {(answer: Answer) => (Node | string | null | undefined | false)[]} show
 * @param {string[]} [stores] shown anew when one of these changed
 * @returns {() => void} stops it
 */
export function showAnswer(app, place, path, show, stores = ["task", "category", "dday", "settings"]) {
  const kept = app.engine.mirror.answer.get(path);
  const fill = (/** @type {any} */ answer) => refill(place, () => place.replaceChildren(.../** @type {any[]} */ (show(answer)).filter(Boolean)));
  if (kept) fill(kept);
  else place.replaceChildren(el("p", { class: "quiet-words loading" }, text.loading));
  let timer = 0;
  let isOver = false;
  const load = async (/** @type {any} */ last = null) => {
    try {
      const answer = await call("GET", path);
      if (isOver) return;
      // Rendering the same again would clear the forms in it, and another answer one that is filled in.
      if (!$("form :focus", place) && (!last || JSON.stringify(answer) !== JSON.stringify(last))) fill(answer);
      app.engine.commit([{ store: "answer", key: path, value: answer }]);
    } catch (problem) {
      if (!(problem instanceof Problem) || isOver) return;
      const words = problem.code === "unreachable" ? (kept ? text.lastKnown : text.needsConnection) : problem.message;
      if (!place.querySelector(".note")) place.prepend(el("p", { class: "note", role: "status" }, words));
      if (!kept) place.querySelector(".loading")?.remove();
    }
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(load, 300); };
  const stop = app.watch((changed) => { if (stores.some((store) => changed.has(store))) later(); });
  load(kept);
  return () => { isOver = true; clearTimeout(timer); stop(); };
}

/** @param {string} words @param {...(Node | false | null)} after */
export function heading(words, ...after) {
  return el("div", { class: "heading" }, el("h1", {}, words), ...after);
}

/** What has the pictures: the app puts its engine here before it shows any. */
export const album = { engine: /** @type {Engine} */ (/** @type {unknown} */ (null)) };

/**
 * Addresses of pictures in the memory of the page, by id.
 * @type {Map<string, Promise<string>>}
 */
const addresses = new Map();

/** @param {string} id */
export function picture(id) {
  // A format that this browser does not know is left out.
  const image = el("img", { class: "picture", alt: "", onerror: () => image.remove() });
  let address = addresses.get(id);
  if (!address) {
    addresses.set(id, address = pictureOf(id));
    // Retried when it is shown the next time.
    address.catch(() => addresses.delete(id));
  }
  address.then((url) => { image.src = url; }, () => image.remove());
  return image;
}

/** @param {string} id */
async function pictureOf(id) {
  return URL.createObjectURL(await readImage(album.engine, id));
}

/** Pixels; no screen shows it larger. */
const longestSide = 512;

/** A field with a picture: a file, one that is dropped, or one from the clipboard. */
export function pictureField() {
  const file = el("input", { type: "file", accept: "image/*", class: "hidden", tabIndex: -1, "aria-hidden": "true" });
  const fault = el("p", { class: "fault", role: "alert" });
  const preview = el("span", {});
  const choose = el("button", { onclick: () => file.click() });
  const remove = el("button", { class: "quiet", onclick: () => { choose.focus(); self.show(null); self.onChange(); } }, text.removePicture);
  const element = el("div", { class: "row pictures", role: "group", "aria-label": text.members.image }, preview, choose, remove, file, fault);
  const self = {
    element,
    /** @type {string | null} */
    id: null,
    onChange: () => {},
    /** @param {string | null} id */
    show(id) {
      self.id = id;
      preview.replaceChildren(...(id ? [picture(id)] : []));
      choose.textContent = id ? text.changePicture : text.addPicture;
      remove.hidden = !id;
    },
    /** @param {HTMLElement} area where a picture may be dropped or pasted */
    takeFrom(area) {
      area.addEventListener("dragover", (event) => event.preventDefault());
      area.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer?.files[0]); });
      area.addEventListener("paste", (event) => { take(event.clipboardData?.files[0]); });
    },
  };
  const take = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen || choose.disabled) return;
    // Saving waits for the picture.
    const buttons = [choose, $(".primary", element.closest("form") ?? element)];
    const disable = (/** @type {boolean} */ isBusy) => { for (const button of buttons) if (button) button.disabled = isBusy; };
    disable(true);
    fault.textContent = "";
    try {
      self.show(await addImage(album.engine, await reduced(chosen)));
      self.onChange();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      fault.textContent = faultOf(problem);
    } finally {
      disable(false);
    }
  };
  file.addEventListener("change", () => { take(file.files?.[0]); file.value = ""; });
  return self;
}

/**
 * Scales a picture to the size of screens, and removes its metadata.
 * @param {Blob} file
 */
async function reduced(file) {
  let bitmap;
  // The browser cannot decode it: send the file, and let the server check it.
  try { bitmap = await createImageBitmap(file); } catch { return file; }
  const part = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const canvas = el("canvas", { width: Math.ceil(bitmap.width * part), height: Math.ceil(bitmap.height * part) });
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), "image/webp", 0.85));
}
