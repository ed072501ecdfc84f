// Owns where lines end: not within words with a hyphen, as « déconnectez-vous » or “sign-in”, nor within 2026-11-20 or go-oidc,
// which stay as they are for whoever copies, searches or hears them; and rather before the @ of an email address, or after a
// slash, than anywhere.
import type { Locale } from '../../i18n/index.ts';
import { html, type Renderable } from './html.ts';

const mayEndBetween = (parts: readonly Renderable[]): Renderable =>
  parts.map((part, place) => html`${place > 0 && html`<wbr>`}${part}`);

/** An email address: where a column is too narrow for it, it goes on with what stands from @ on, or within what stands before. */
export const emailInColumn = (email: string): Renderable =>
  mayEndBetween(email.split(/(?=@[^@]*$)|(?<=[.+])(?=.*@)/));

/** Words with an address in them: where a column is too narrow for it, it goes on after one of its slashes, or before a dot of its host. */
export const addressInColumn = (words: string): Renderable =>
  mayEndBetween(
    words
      .split(/(?<=[^/]\/)(?!\/)|(?<=:\/\/[^/\s]+)(?=\.)/)
      .map((part) => (part === '.well-known/' ? html`<span class="unbroken">${part}</span>` : part)),
  );

/** What the dictionaries join by a hyphen (test/web/html/line-ends.test.ts holds them to it); names and addresses are no such words. */
const WORDS: Record<Locale, string> = {
  fr: [
    '\\p{L}+(?:-(?:le|la|les|lui|leur|nous|vous|en|y|ci|là|mêmes?))+',
    'e-mails?|en-têtes?|peut-être|entre-temps|là-bas|au-delà|ci-dess(?:o)?us|auto-enregistrés?|deux-points|pare-feu|back-channel',
  ].join('|'),
  en: 'self-registered|sign-(?:in|out|up)s?|signed-in|six-digit|non-ASCII|well-formed|clean-up|back-channel',
};

const DAY = '\\d{4}-\\d\\d-\\d\\d';

/** Packages by which headings and tabs name an example. */
const PACKAGES = 'go-oidc|mozilla-django-oidc|passport-openidconnect|openid-client|express-session';

/** A tag, an element that holds text alone, or such a word, day or package: the first two are left as they are. */
const pieces = (words: string): RegExp =>
  new RegExp(
    `<(?:title|option|textarea)\\b[^>]*>[^<]*|<[^>]*>|(?<![\\p{L}-])(?:${words}|${DAY}|${PACKAGES})(?![\\p{L}-])`,
    'giu',
  );
const PIECES: Record<Locale, RegExp> = { fr: pieces(WORDS.fr), en: pieces(WORDS.en) };

/** @param markup a finished document of ours: « < » and « > » stand in it for tags alone */
export const unbroken = (markup: string, locale: Locale): string =>
  markup.replace(PIECES[locale], (piece) =>
    piece.startsWith('<') ? piece : `<span class="unbroken">${piece}</span>`,
  );
