// How texts are compared: by the server's rules, see TextKeys.swift. `===` and `<` of JavaScript compare UTF-16 units.

/** @param {string} words */
const isASCII = (words) => /^[\0-\x7f]*$/.test(words);

/**
 * What lists are ordered by, with {@link inOrder}: full case folding, which JavaScript has only as the mappings that make it.
 * @param {string} words
 */
export function orderKey(words) {
  if (isASCII(words)) return words.toLowerCase();
  return words.replace(/[\p{Changes_When_Casefolded}\u01f0\u0390\u03b0\u1e96-\u1e99\u1f50-\u1fff]/gu, (letter) => (
    /[\u13f8-\u13fd\uab70-\uabbf]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase().toUpperCase().toLowerCase()));
}

/**
 * Two texts are the same when they have one key.
 * @param {string} words
 */
export const sameKey = (words) => orderKey(words.normalize("NFD")).normalize("NFC");

/**
 * By code points.
 * @param {string} a @param {string} b
 */
export function inOrder(a, b) {
  // Surrogates stand for what comes after all that has one unit.
  const place = (/** @type {number} */ unit) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = place(a.charCodeAt(index)) - place(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * What a search compares.
 * @param {string} words
 */
export function searchKey(words) {
  // Most texts, and nothing else changes in them.
  if (/^[\0-\x7f\u4e00-\u9fff\uac00-\ud7a3]*$/.test(words)) return words.toLowerCase();
  return orderKey(words.normalize("NFKD")).normalize("NFKD")
    .replace(/(\p{sc=Latin}\p{Mn}*)\p{Mn}+/gu, (run) => run.replace(/\p{Mn}/gu, ""))
    .replace(/[\u30a1-\u30f6\u30fd\u30fe]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60)).normalize("NFC");
}

/**
 * The tests of a search on the key of a title or a body: each of its words, and what stands between quotation marks.
 * @param {string} query @returns {((key: string) => boolean)[]}
 */
export function searchTerms(query) {
  return [...query.matchAll(/"([^"]*)"?|“([^”]*)”?|\P{White_Space}+/gu)].map(([word, plain, quoted = plain]) => {
    const key = searchKey(quoted ?? word);
    if (quoted !== undefined || !/^[\u1100-\u1112]+$/.test(key)) return (/** @type {string} */ text) => text.includes(key);
    // Initial consonants, of syllables that follow one another.
    const pattern = new RegExp([...key].map((initial) => {
      const first = 0xac00 + (initial.charCodeAt(0) - 0x1100) * 588;
      return `[${initial}${String.fromCharCode(first)}-${String.fromCharCode(first + 587)}]`;
    }).join(""));
    return (/** @type {string} */ text) => pattern.test(text);
  });
}
