// Account pictures and client logos: URLs, and pictures generated from initials.
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

const SHAPES = [
  html`<circle cx="64" cy="0" r="40"/>`,
  html`<path d="M0 64 64 0v64z"/>`,
  html`<circle cx="32" cy="32" r="26"/>`,
  html`<path d="M0 22h64v20H0z"/>`,
  html`<path d="M32 2l30 30-30 30L2 32z"/>`,
  html`<circle cx="0" cy="64" r="44"/>`,
  html`<path d="M0 0h32v32h32v32H32V32H0z"/>`,
  html`<path d="M0 40q16-16 32 0t32 0v24H0z"/>`,
] as const;

/**
 * @param color index of the background. Wraps around above 7.
 * @param shape index of the shape, or undefined for a plain background
 */
export function initialsAvatar(initials: string, color: number, shape?: number): string {
  const background = backgrounds[Math.abs(Math.trunc(color)) % backgrounds.length] ?? backgrounds[0];
  const letters = Array.from(initials.replace(/\p{C}/gu, '')).slice(0, 2).join('');
  return render(html`<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 64 64" role="img" aria-label="${letters}"><rect width="64" height="64" fill="${background}"/>${shape !== undefined && html`<g fill="#000000" fill-opacity=".22">${SHAPES[shape]}</g>`}<text x="32" y="32" dy=".35em" text-anchor="middle" fill="#ffffff" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="26" font-weight="600">${letters}</text></svg>
`);
}

/**
 * Returns the initials of the first and last word, and a color index from 0 to 7. Names without letters or digits get
 * "?".
 */
export function initialsOf(name: string): { initials: string; color: number } {
  const words = name.normalize('NFC').trim().split(/\s+/u);
  const letters = words.flatMap((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? []);
  const [first = '?', last = ''] = letters.length > 1 ? [letters[0], letters.at(-1)] : letters;
  const capital = (letter: string) => Array.from(letter.toUpperCase())[0] ?? '';
  return { initials: capital(first) + capital(last), color: hash(words.join(' ')) % backgrounds.length };
}

/** 32-bit FNV-1a hash. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  return state;
}

export const PICTURES_PATH = '/pictures/';

export const pictureUrl = (baseUrl: string, hash: string): string => `${baseUrl}${PICTURES_PATH}${hash}`;

/** Followed by `INITIALS-COLOR.svg` or `INITIALS-COLOR-SHAPE.svg`. */
export const INITIALS_PATH = '/avatars/initials/';

export function avatarUrl(baseUrl: string, user: { name: string; pictureHash: string | null }): string {
  if (user.pictureHash !== null) return pictureUrl(baseUrl, user.pictureHash);
  return initialsUrl(baseUrl, initialsOf(user.name));
}

const initialsUrl = (baseUrl: string, { initials, color }: ReturnType<typeof initialsOf>): string =>
  `${baseUrl}${INITIALS_PATH}${encodeURIComponent(initials)}-${color}.svg`;

/**
 * Without an uploaded logo, generates a picture from the name and client ID. `alt` is empty because the name is beside
 * the logo.
 * @param size in pixels
 */
export function logo(
  { logo, name, clientId }: { logo?: string | null | undefined; name: string; clientId: string },
  size: number,
): Html {
  const seed = hash(clientId);
  const { initials } = initialsOf(name);
  const shape = Math.floor(seed / backgrounds.length) % SHAPES.length;
  const url = logo
    ? pictureUrl('', logo)
    : `${INITIALS_PATH}${encodeURIComponent(initials)}-${seed % backgrounds.length}-${shape}.svg`;
  return html`<img class="logo" src="${url}" alt="" width="${size}" height="${size}">`;
}
