// The order of a column. Positions are opaque strings of the server, in the order of their bytes. Until the server has
// placed a task, the page gives it a position of its own between two others.

const lowest = 33;
const highest = 126;

/**
 * A string between two positions; null stands for the beginning or the end of the column.
 * @param {string | null} before
 * @param {string | null} after
 */
export function between(before, after) {
  let result = "";
  for (let place = 0; ; place += 1) {
    const low = before !== null && place < before.length ? before.charCodeAt(place) : lowest;
    const high = after !== null && place < after.length ? after.charCodeAt(place) : highest + 1;
    const middle = Math.floor((low + high) / 2);
    if (middle > low) return result + String.fromCharCode(middle);
    result += String.fromCharCode(low);
    // From here on it is below the upper neighbour, whatever follows.
    if (high > low) after = null;
  }
}

/**
 * @param {{position: string, id: string}} a
 * @param {{position: string, id: string}} b
 */
export function byPosition(a, b) {
  return a.position < b.position ? -1 : a.position > b.position ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
