// Owns the words with a hyphen at which no line ends: « e-mail ». The words themselves stay as they are, for whoever copies,
// searches or hears them.

/** A tag, an element that holds text alone, or such a word: the first two are left as they are. */
const PIECES = /<(?:title|option|textarea)\b[^>]*>[^<]*|<[^>]*>|\be-mails?\b/gi;

/** @param markup a finished document of ours: « < » and « > » stand in it for tags alone */
export const unbroken = (markup: string): string =>
  markup.replace(PIECES, (piece) =>
    piece.startsWith('<') ? piece : `<span class="unbroken">${piece}</span>`,
  );
