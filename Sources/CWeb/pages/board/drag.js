// Dragging cards with a mouse, a pen or a finger. A mouse drags at once, a finger after a long press, so that it can scroll.
import { $, el } from "./page.js";
import { move } from "./actions.js";

const threshold = 6;
const pressTime = 350;

/** @param {App} app @param {HTMLElement} board @param {AbortController} gone */
export function setUpDrag(app, board, { signal }) {
  /** @type {Drag | null} */
  let drag = null;
  let frame = 0;
  let justDragged = false;

  board.addEventListener("pointerdown", (event) => {
    justDragged = false;
    const card = /** @type {HTMLElement} */ (event.target).closest?.(".card");
    if (!(card instanceof HTMLElement) || !card.dataset.id || event.button !== 0 || drag) return;
    if (/** @type {HTMLElement} */ (event.target).closest(".more, textarea")) return;
    const at = card.getBoundingClientRect();
    drag = {
      id: card.dataset.id, card, x: event.clientX, y: event.clientY, dx: event.clientX - at.left, dy: event.clientY - at.top,
      pointer: event.pointerId, ghost: null, slot: el("li", { class: "slot", role: "presentation" }), timer: 0, edge: 0,
    };
    if (event.pointerType !== "mouse") drag.timer = setTimeout(begin, pressTime);
  });

  addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    const distance = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
    if (!drag.ghost) {
      if (distance < threshold) return;
      if (event.pointerType !== "mouse") return end();
      begin();
    }
    drag.x = event.clientX;
    drag.y = event.clientY;
    if (!frame) frame = requestAnimationFrame(step);
  }, { signal });

  addEventListener("pointerup", (event) => {
    // After Escape: the click comes at once, if it does.
    if (!drag && justDragged) setTimeout(() => { justDragged = false; });
    if (!drag || event.pointerId !== drag.pointer) return;
    drag.x = event.clientX;
    drag.y = event.clientY;
    // The last movement may not have had its frame yet.
    if (drag.ghost) step();
    drop();
  }, { signal });
  addEventListener("pointercancel", () => end(), { signal });
  addEventListener("blur", () => end(), { signal });
  signal.addEventListener("abort", () => end());
  // A dragging finger must not scroll. The listener must exist before the touch begins.
  board.addEventListener("touchmove", (event) => { if (drag?.ghost) event.preventDefault(); }, { passive: false });
  board.addEventListener("contextmenu", (event) => { if (drag) event.preventDefault(); });
  board.addEventListener("dragstart", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drag?.ghost) return;
    event.preventDefault();
    event.stopPropagation();
    end();
    // What is released opens nothing.
    justDragged = true;
  }, { capture: true, signal });
  board.addEventListener("click", (event) => {
    if (!justDragged) return;
    justDragged = false;
    event.stopPropagation();
    event.preventDefault();
  }, true);

  function begin() {
    if (!drag) return;
    const { card } = drag;
    const { width, height } = card.getBoundingClientRect();
    const ghost = /** @type {HTMLElement} */ (card.cloneNode(true));
    ghost.classList.add("ghost");
    ghost.inert = true;
    ghost.style.setProperty("width", `${width}px`);
    drag.slot.style.setProperty("height", `${height}px`);
    drag.ghost = ghost;
    document.body.append(ghost);
    card.classList.add("dragged");
    document.documentElement.classList.add("dragging");
    card.after(drag.slot);
    navigator.vibrate?.(10);
    if (!frame) frame = requestAnimationFrame(step);
  }

  /** Once a frame: the ghost follows, the slot goes where the card would land, and lists scroll at their edges. */
  function step() {
    frame = 0;
    if (!drag?.ghost) return;
    drag.ghost.style.setProperty("transform", `translate(${drag.x - drag.dx}px, ${drag.y - drag.dy}px) rotate(1.5deg)`);
    const column = columnAt(board, drag.x, drag.y);
    if (column) {
      placeSlot($(".cards", column), drag, app.model.filter.sort !== "position");
      turnPage(app, board, drag);
      if (scrollAtEdges(column, drag.y)) frame = requestAnimationFrame(step);
    }
  }

  function drop() {
    if (!drag?.ghost) return end();
    const { id, slot, card } = drag;
    const list = slot.parentElement;
    const picked = app.picks.ids.has(id) ? app.picks.ids : new Set([id]);
    const status = /** @type {any} */ (list?.closest(".column"))?.dataset.column;
    const cards = list ? /** @type {HTMLElement[]} */ ([...list.children]).filter((child) => child === slot || (child.classList.contains("card") && !picked.has(child.dataset.id ?? ""))) : [];
    const index = cards.indexOf(slot);
    const before = cards[index + 1]?.dataset.id;
    const after = cards[index - 1]?.dataset.id;
    const isSame = slot.previousElementSibling === card || slot.nextElementSibling === card;
    end();
    justDragged = true;
    setTimeout(() => { justDragged = false; }, 50);
    if (!status || isSame) return;
    const where = { status, ...(before ? { before } : after ? { after } : { place: /** @type {const} */ ("last") }) };
    if (app.model.filter.sort !== "position") {
      if (picked.size > 1) app.picks.move(status);
      else if (status !== app.model.tasks.get(id)?.status) move(app, id, { status, place: "last" });
    } else if (picked.size > 1) app.picks.moveTo(where);
    else move(app, id, where);
  }

  function end() {
    if (!drag) return;
    clearTimeout(drag.timer);
    drag.ghost?.remove();
    drag.slot.remove();
    drag.card.classList.remove("dragged");
    document.documentElement.classList.remove("dragging");
    drag = null;
  }
}

/**
 * The column under the pointer, or the one beside it.
 * @param {HTMLElement} board
 * @param {number} x
 * @param {number} y
 */
function columnAt(board, x, y) {
  for (const column of /** @type {Iterable<HTMLElement>} */ (/** @type {any} */ (board.children))) {
    const at = column.getBoundingClientRect();
    if (x >= at.left - 6 && x <= at.right + 6 && (y >= at.top || at.top > 0) && y <= Math.max(at.bottom, innerHeight)) return column;
  }
  return null;
}

/** @param {HTMLElement} list @param {Drag} drag @param {boolean} isSorted */
function placeSlot(list, { slot, y, card }, isSorted) {
  // In a sorted column the place does not matter: the slot shows only the column.
  if (isSorted) {
    if (slot.parentElement !== list) list.prepend(slot);
    return;
  }
  const cards = /** @type {HTMLElement[]} */ ([...list.children]).filter((child) => child !== slot && child !== card);
  // Without the slot, which moves the cards after it away from the pointer.
  const room = slot.parentElement === list ? slot.offsetHeight + 8 : 0;
  // Binary search: reading 1,500 rectangles would take a frame.
  let low = 0;
  for (let high = cards.length; low < high;) {
    const middle = (low + high) >> 1;
    const at = cards[middle].getBoundingClientRect();
    const shift = room && slot.compareDocumentPosition(cards[middle]) & Node.DOCUMENT_POSITION_FOLLOWING ? room : 0;
    if (y > at.top - shift + at.height / 2) low = middle + 1;
    else high = middle;
  }
  const next = cards[low] ?? null;
  if (slot.parentElement === list && (slot.nextElementSibling === next || (slot.nextElementSibling === card && card.nextElementSibling === next))) return;
  list.insertBefore(slot, next);
}

/**
 * At the side of a phone, goes to the next column: one, until the finger leaves the edge.
 * @param {App} app @param {HTMLElement} board @param {Drag} drag
 */
function turnPage(app, board, drag) {
  const edge = drag.x > innerWidth - 28 ? 1 : drag.x < 28 ? -1 : 0;
  if (edge === drag.edge) return;
  drag.edge = edge;
  if (!edge || board.scrollWidth <= board.clientWidth) return;
  const columns = /** @type {HTMLElement[]} */ ([...board.children]);
  const shown = columns.findIndex((column) => column.getBoundingClientRect().right > innerWidth / 2);
  const next = columns[shown + edge];
  if (next) app.board?.reveal(next);
}

/** @param {HTMLElement} column @param {number} y */
function scrollAtEdges(column, y) {
  const scroll = $(".scroll", column);
  const isPage = getComputedStyle(scroll).overflowY === "visible";
  const area = isPage ? { top: 0, bottom: innerHeight } : scroll.getBoundingClientRect();
  const speed = (/** @type {number} */ depth) => Math.ceil(Math.min(depth, 48) / 3);
  const edge = 48;
  const down = y > area.bottom - edge ? speed(y - area.bottom + edge) : y < area.top + edge ? -speed(area.top + edge - y) : 0;
  if (down) (isPage ? document.documentElement : scroll).scrollBy(0, down);
  return down !== 0;
}
