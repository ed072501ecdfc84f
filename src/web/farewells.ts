// Where people land once they have gone: the landing page, which says what was done.

const SIGNED_OUT = '/?signed-out=1';

/** The same where accounts are left in the browser: to theirs, or to the choice among them. */
export function farewell(left: readonly { active: boolean }[]): string {
  if (left.length === 0) return SIGNED_OUT;
  return left.some(({ active }) => active) ? '/account' : '/accounts?done=signed-out';
}
export const DELETED = '/?deleted=1';
