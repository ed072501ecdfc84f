// What a person showed to get in, and what is claimed of it: `amr` (RFC 8176) and `acr` (D41).

/**
 * What a session keeps of how its person got in, and has confirmed it since.
 * - `pwd` a password
 * - `otp` the code of an authenticator app, or a recovery code
 * - `hwk` a passkey that stays on its device, `swk` one that is synced; either by somebody whom the device recognised
 */
export const METHODS = ['pwd', 'otp', 'hwk', 'swk'] as const;
export type Method = (typeof METHODS)[number];

const showsPasskey = (methods: readonly Method[]): boolean =>
  methods.includes('hwk') || methods.includes('swk');

/** Whether two factors were shown: a passkey is two by itself, the device and whom it recognised (D37). */
export const isStrong = (methods: readonly Method[]): boolean =>
  showsPasskey(methods) || (methods.includes('pwd') && methods.includes('otp'));

/** The `amr` claim: what was shown, and whether it was more than one thing. */
export const amrOf = (methods: readonly Method[]): string[] => [
  ...METHODS.filter((method) => methods.includes(method)),
  ...(showsPasskey(methods) ? ['user'] : []),
  ...(isStrong(methods) ? ['mfa'] : []),
];

/**
 * What `acr` can say, the weakest first: one factor; two; a passkey, which no other site can be shown by mistake; one that
 * stays on its device (the last two from OpenID Connect Extended Authentication Profile ACR Values 1.0).
 */
export const ACRS = ['1', '2', 'phr', 'phrh'] as const;
export type Acr = (typeof ACRS)[number];

/** The `acr` claim: the strongest that is met. */
export function acrOf(methods: readonly Method[]): Acr {
  if (methods.includes('hwk')) return 'phrh';
  if (methods.includes('swk')) return 'phr';
  return isStrong(methods) ? '2' : '1';
}
