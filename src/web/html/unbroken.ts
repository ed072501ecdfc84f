// Owns the French words with a hyphen at which no line ends: « e-mail », « vérifiez-le ». The words themselves stay as they are, for whoever copies,
// searches or hears them.

/** A tag, an element that holds text alone, or such a word: the first two are left as they are. */
const PIECES =
  /<(?:title|option|textarea)\b[^>]*>[^<]*|<[^>]*>|(?<![\p{L}-])(?:e-mails?|peut-être|là-bas|\p{L}+-(?:le|la|les|en|y|ci))(?![\p{L}-])/giu;

/** @param markup a finished document of ours: « < » and « > » stand in it for tags alone */
export const unbroken = (markup: string): string =>
  markup.replace(PIECES, (piece) =>
    piece.startsWith('<') ? piece : `<span class="unbroken">${piece}</span>`,
  );
