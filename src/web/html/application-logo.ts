// Owns the picture of an application: its logo, or its initials on a colour that goes with its name.
import { initialsOf } from './avatar.ts';
import { type Html, html } from './html.ts';
import { initialsAddress, pictureAddress } from './picture-address.ts';

/** Decoration: the name stands beside it. @param size in pixels */
export function logoOf(
  { logo, name }: { logo?: string | null | undefined; name: string },
  size: number,
): Html {
  const address = logo ? pictureAddress('', logo) : initialsAddress('', initialsOf(name));
  return html`<img class="logo" src="${address}" alt="" width="${size}" height="${size}">`;
}
