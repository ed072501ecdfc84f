// What a person showed to get in, and what is claimed of it: `amr` (RFC 8176) and `acr` (D41).

/**
 * What a session keeps of how its person got in, and has confirmed it since.
 * - `pwd` a password
 * - `otp` the code of an authenticator app, or a recovery code
 */
export const METHODS = ['pwd', 'otp'] as const;
export type Method = (typeof METHODS)[number];

/** Whether two factors were shown. */
export const isStrong = (methods: readonly Method[]): boolean =>
  methods.includes('pwd') && methods.includes('otp');

/** The `amr` claim: what was shown, and whether it was more than one thing. */
export const amrOf = (methods: readonly Method[]): string[] => [
  ...METHODS.filter((method) => methods.includes(method)),
  ...(isStrong(methods) ? ['mfa'] : []),
];

/** What `acr` can say: one factor, or two. */
export const ACRS = ['1', '2'] as const;

/** The `acr` claim: the strongest that is met. */
export const acrOf = (methods: readonly Method[]): (typeof ACRS)[number] => (isStrong(methods) ? '2' : '1');
