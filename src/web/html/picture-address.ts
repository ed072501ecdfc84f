// Addresses of pictures. An uploaded one is named by the hash of its content, so what is at an address never changes. A
// generated one holds the initials themselves, so nothing has to be looked up to answer it.
import { initialsOf } from './avatar.ts';

export const PICTURES_PATH = '/pictures/';

/** The absolute address of the picture with this hash. */
export const pictureAddress = (baseUrl: string, hash: string): string => `${baseUrl}${PICTURES_PATH}${hash}`;

/** Where initials pictures live; the rest of the address is `INITIALS-COLOUR.svg`. */
export const INITIALS_PATH = '/avatars/initials/';

/** The absolute address of the picture of an account (D20): its own, or its initials. */
export function avatarAddress(baseUrl: string, person: { name: string; pictureHash: string | null }): string {
  if (person.pictureHash !== null) return pictureAddress(baseUrl, person.pictureHash);
  return initialsAddress(baseUrl, initialsOf(person.name));
}

/** The absolute address of initials on a colour. */
export const initialsAddress = (
  baseUrl: string,
  { initials, color }: ReturnType<typeof initialsOf>,
): string => `${baseUrl}${INITIALS_PATH}${encodeURIComponent(initials)}-${color}.svg`;
