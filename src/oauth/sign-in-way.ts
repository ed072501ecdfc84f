// How somebody signed in, as the log, the account and /metrics name it.

/** What was shown to get in: `password+trusted` is a password in a browser that the account trusts. */
export const WAYS = [
  'password',
  'password+app',
  'password+recovery_code',
  'password+trusted',
  'passkey',
  'recovery_code',
] as const;
export type Way = (typeof WAYS)[number];

export const isWay = (text: string): text is Way => (WAYS as readonly string[]).includes(text);
