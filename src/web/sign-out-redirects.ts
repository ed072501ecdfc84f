// URLs to redirect to after a sign-out or account deletion.

const SIGNED_OUT_URL = '/?signed-out=1';

export function signedOutUrl(remaining: readonly { active: boolean }[]): string {
  if (remaining.length === 0) return SIGNED_OUT_URL;
  return remaining.some(({ active }) => active) ? '/account' : '/accounts?done=signed-out';
}
export const ACCOUNT_DELETED_URL = '/?deleted=1';
