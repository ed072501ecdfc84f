// Addresses of generated pictures: they hold the initials themselves, so nothing has to be looked up to answer them.
import { initialsOf } from './avatar.ts';

/** Where initials pictures live; the rest of the address is `INITIALS-COLOUR.svg`. */
export const INITIALS_PATH = '/avatars/initials/';

/** The absolute address of the picture of an account without one of its own (D20). */
export function avatarAddress(baseUrl: string, name: string): string {
  const { initials, color } = initialsOf(name);
  return `${baseUrl}${INITIALS_PATH}${encodeURIComponent(initials)}-${color}.svg`;
}
