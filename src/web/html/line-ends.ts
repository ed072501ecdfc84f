// Owns where lines end: not within French words with a hyphen, as « e-mail » or « vérifiez-le », which stay as they are for
// whoever copies, searches or hears them; and rather before the @ of an email address, or after a slash, than anywhere.
import { type Html, html, type Renderable } from './html.ts';

/** An email address: where a column is too narrow for it, it goes on with what stands from @ on. */
export function emailInColumn(email: string): Html {
  const [person, host] = email.split(/(?=@[^@]*$)/);
  return html`${person}<wbr>${host}`;
}

/** Words with an address in them: where a column is too narrow for it, it goes on after one of its slashes. */
export const addressInColumn = (words: string): Renderable =>
  words.split(/(?<=[^/]\/)(?!\/)/).map((part, place) => html`${place > 0 && html`<wbr>`}${part}`);

/** A tag, an element that holds text alone, or such a word: the first two are left as they are. */
const PIECES =
  /<(?:title|option|textarea)\b[^>]*>[^<]*|<[^>]*>|(?<![\p{L}-])(?:e-mails?|peut-être|là-bas|\p{L}+-(?:le|la|les|en|y|ci))(?![\p{L}-])/giu;

/** @param markup a finished document of ours: « < » and « > » stand in it for tags alone */
export const unbroken = (markup: string): string =>
  markup.replace(PIECES, (piece) =>
    piece.startsWith('<') ? piece : `<span class="unbroken">${piece}</span>`,
  );
