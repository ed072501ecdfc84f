// Owns how the way of a sign-in is said.
import type { Messages } from '../../i18n/index.ts';
import type { Way } from '../../oauth/sign-in-way.ts';

export function wayInWords(way: Way | undefined, { account }: Messages): string {
  const { ways, unknown } = account.security.signIns;
  return way === undefined ? unknown : ways[way];
}
