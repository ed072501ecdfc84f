// Pictures of accounts and clients: their URLs, and generated ones of one or two initials on a colour.
import { type Html, html, render } from './html.ts';

/** Backgrounds on which white text has a contrast of at least 4.5:1. */
const backgrounds = [
  '#4f46e5',
  '#7c3aed',
  '#a21caf',
  '#be123c',
  '#9a3412',
  '#3f6212',
  '#115e59',
  '#1e40af',
] as const;

/**
 * An SVG document of 256 px: white initials on background number `color` (0 to 7, others wrap around).
 * It holds no script and no style, and fills its square so that pages may round it as they like.
 */
export function initialsAvatar(initials: string, color: number): string {
  const background = backgrounds[Math.abs(Math.trunc(color)) % backgrounds.length] ?? backgrounds[0];
  const letters = Array.from(initials.replace(/\p{C}/gu, '')).slice(0, 2).join('');
  return render(html`<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 64 64" role="img" aria-label="${letters}"><rect width="64" height="64" fill="${background}"/><text x="32" y="32" dy=".35em" text-anchor="middle" fill="#ffffff" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="26" font-weight="600">${letters}</text></svg>
`);
}

/**
 * The first letter of the first and of the last word, in capitals, and the colour (0 to 7) that goes with the name.
 * Names without any letter or digit get « ? ». The same name always gives the same answer.
 */
export function initialsOf(name: string): { initials: string; color: number } {
  const words = name.normalize('NFC').trim().split(/\s+/u);
  const letters = words.flatMap((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? []);
  const [first = '?', last = ''] = letters.length > 1 ? [letters[0], letters.at(-1)] : letters;
  const capital = (letter: string) => Array.from(letter.toUpperCase())[0] ?? '';
  return { initials: capital(first) + capital(last), color: hash(words.join(' ')) % backgrounds.length };
}

/** FNV-1a, 32 bits: enough to spread names over a handful of colours. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  return state;
}

export const PICTURES_PATH = '/pictures/';

export const pictureAddress = (baseUrl: string, hash: string): string => `${baseUrl}${PICTURES_PATH}${hash}`;

/** Where initials pictures live; the rest of the address is `INITIALS-COLOUR.svg`. */
export const INITIALS_PATH = '/avatars/initials/';

/** The absolute address of the picture of an account (D20): its own, or its initials. */
export function avatarAddress(baseUrl: string, person: { name: string; pictureHash: string | null }): string {
  if (person.pictureHash !== null) return pictureAddress(baseUrl, person.pictureHash);
  return initialsAddress(baseUrl, initialsOf(person.name));
}

const initialsAddress = (baseUrl: string, { initials, color }: ReturnType<typeof initialsOf>): string =>
  `${baseUrl}${INITIALS_PATH}${encodeURIComponent(initials)}-${color}.svg`;

/** Decoration: the name stands beside it. @param size in pixels */
export function logoOf(
  { logo, name }: { logo?: string | null | undefined; name: string },
  size: number,
): Html {
  const address = logo ? pictureAddress('', logo) : initialsAddress('', initialsOf(name));
  return html`<img class="logo" src="${address}" alt="" width="${size}" height="${size}">`;
}
