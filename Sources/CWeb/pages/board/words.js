// What is left of a text when its marks are gone.

/**
 * Notes without the marks of Markdown, for a line or two of them.
 * @param {string} words
 */
export const plain = (words) => words.replace(/^\s*(?:#{1,6}|>|[-*+])\s+/gm, "")
  .replace(/^\[( |[xX])\]\s+/gm, (_, mark) => (mark === " " ? "☐ " : "☑ "))
  .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/(\*\*|__|~~|`)(.+?)\1/g, "$2").replace(/(^|\s)([*_])(\S|\S.*?\S)\2(?=[\s.,;:!?]|$)/gm, "$1$3");

/**
 * True if nothing in it is visible.
 * @param {string} words
 */
export const isBlank = (words) => /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]*$/u.test(words);
