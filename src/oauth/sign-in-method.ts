// Names of sign-in methods in the log, on account pages and in /metrics.

/** `+trusted` means a remembered device. `provider` means an identity provider. */
export const SIGN_IN_METHODS = [
  'password',
  'password+app',
  'password+recovery_code',
  'password+trusted',
  'passkey',
  'recovery_code',
  'provider',
  'provider+app',
  'provider+recovery_code',
  'provider+trusted',
] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

export const isSignInMethod = (value: string): value is SignInMethod =>
  (SIGN_IN_METHODS as readonly string[]).includes(value);
