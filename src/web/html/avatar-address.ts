// Addresses of people's pictures. A generated one holds the initials themselves, so nothing has to be looked up to
// answer it; a person's own is named by the hash of its content, so it changes with the picture and never otherwise.
import { initialsOf } from './avatar.ts';
import { pictureAddress } from './picture-address.ts';

/** Where initials pictures live; the rest of the address is `INITIALS-COLOUR.svg`. */
export const INITIALS_PATH = '/avatars/initials/';

/** The absolute address of the picture of an account (D20): its own, or its initials. */
export function avatarAddress(baseUrl: string, person: { name: string; pictureHash: string | null }): string {
  if (person.pictureHash !== null) return pictureAddress(baseUrl, person.pictureHash);
  const { initials, color } = initialsOf(person.name);
  return `${baseUrl}${INITIALS_PATH}${encodeURIComponent(initials)}-${color}.svg`;
}
