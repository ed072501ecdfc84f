// Authentication methods (amr), assurance (acr), and when MFA is required.

/**
 * What a session keeps of how its person got in, or has confirmed it since, and what they showed beside.
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

/** What an account could show beside its password. */
export function meansOf(account: {
  hasPassword: boolean;
  asksForCode: boolean;
  passkeyMethods: readonly Method[];
}): Method[] {
  const { hasPassword, asksForCode, passkeyMethods } = account;
  // Recovery codes stand in for passkeys as for the app; without a password beside it, a code is one factor.
  const hasCode = hasPassword && (asksForCode || passkeyMethods.length > 0);
  return [...(hasCode ? ['otp' as const] : []), ...passkeyMethods];
}

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

export const isAcr = (text: string): text is Acr => (ACRS as readonly string[]).includes(text);

/** The `acr` claim: the strongest that is met, of those that were asked for if one of them is. */
export const acrOf = (methods: readonly Method[], asked: readonly Acr[] = []): Acr =>
  ACRS.findLast((acr) => asked.includes(acr) && meets(acr, methods)) ??
  ACRS.findLast((acr) => meets(acr, methods)) ??
  '1';

/** Whether what was shown is enough for an `acr`. */
export function meets(acr: Acr, methods: readonly Method[]): boolean {
  switch (acr) {
    case '1':
      return true;
    case '2':
      return isStrong(methods);
    case 'phr':
      return showsPasskey(methods);
    case 'phrh':
      return methods.includes('hwk');
  }
}

/** Nobody, whoever runs the service, or everyone. */
export const SECOND_FACTOR_RULES = ['optional', 'operators', 'everyone'] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

/** Whether it is demanded of this person. */
export const isDemandedOf = (rule: SecondFactorRule, { operator }: { operator: boolean }): boolean =>
  rule === 'everyone' || (rule === 'operators' && operator);
