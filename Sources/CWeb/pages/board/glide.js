// Puts cards in order. Those that others move glide to their new places: those in sight are read, once before and once after, and then moved.

/** How many glide at once. */
const mostGliding = 40;
/** Milliseconds. */
const duration = 200;

/** @type {Set<Animation>} */
const gliding = new Set();

/**
 * The cards in sight; none where nothing shall glide.
 * @param {Board} board @returns {Map<HTMLElement, {list: Element, left: number, top: number}>}
 */
export function inSight(board) {
  const places = new Map();
  const isStill = document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.classList.contains("dragging");
  for (const { list } of isStill ? [] : board.columns.values()) {
    const { left, right } = list.getBoundingClientRect();
    if (right < 0 || left > innerWidth) continue;
    const cards = [...list.children];
    const top = Math.max(0, list.closest(".scroll")?.getBoundingClientRect().top ?? 0);
    // Binary search: they stand one below another.
    let low = 0;
    for (let high = cards.length; low < high;) {
      const middle = (low + high) >> 1;
      if (cards[middle].getBoundingClientRect().bottom < top) low = middle + 1;
      else high = middle;
    }
    for (const card of cards.slice(low)) {
      const at = card.getBoundingClientRect();
      if (at.top > innerHeight) break;
      places.set(card, { list, left: at.left, top: at.top });
    }
  }
  return places;
}

/** @param {Board} board @param {ReturnType<typeof inSight>} before */
export function glide(board, before) {
  for (const animation of gliding) animation.cancel();
  gliding.clear();
  // What is added or removed above those in sight scrolls nothing.
  for (const { list } of board.columns.values()) {
    const scroll = /** @type {HTMLElement} */ (list.closest(".scroll"));
    const shifts = scroll.scrollTop > 0 ? [...before].filter(([card, place]) => place.list === list && card.parentElement === list)
      .map(([card, { top }]) => card.getBoundingClientRect().top - top) : [];
    const least = Math.min(...shifts.map(Math.abs));
    if (shifts.length && least >= 1) scroll.scrollTop += shifts.find((shift) => Math.abs(shift) === least) ?? 0;
  }
  const moves = [...inSight(board)].flatMap(([card, { left, top }]) => {
    const from = before.get(card);
    const [x, y] = from ? [from.left - left, from.top - top] : [0, 0];
    return Math.hypot(x, y) < 1 ? [] : [{ card, transform: `translate(${x}px, ${y}px)` }];
  });
  for (const { card, transform } of moves.slice(0, mostGliding)) {
    const animation = card.animate({ transform: [transform, "none"] }, { duration, easing: "ease-out" });
    gliding.add(animation);
    animation.onfinish = () => gliding.delete(animation);
  }
}

/**
 * Makes the children of a list those wanted, with as few changes as one move needs.
 * @param {HTMLElement} list
 * @param {HTMLElement[]} wanted
 * @returns {boolean} whether it changed any
 */
export function arrange(list, wanted) {
  const keep = new Set(wanted);
  let isChanged = false;
  for (const child of [...list.children]) {
    if (keep.has(/** @type {HTMLElement} */ (child)) || child.classList.contains("slot")) continue;
    child.remove();
    isChanged = true;
  }
  let node = list.firstElementChild;
  for (const card of wanted) {
    while (node?.classList.contains("slot")) node = node.nextElementSibling;
    if (node === card) { node = node.nextElementSibling; continue; }
    isChanged = true;
    // This child was moved down: without it, the rest is in order.
    if (node && card === node.nextElementSibling) {
      node.remove();
      node = card.nextElementSibling;
      continue;
    }
    list.insertBefore(card, node);
  }
  return isChanged;
}
