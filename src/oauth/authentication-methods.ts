// Authentication methods (amr), assurance levels (acr), and MFA policies.

/**
 * Methods in sessions (RFC 8176). `hwk` is a device-bound passkey, and `swk` is a synced passkey. Recovery
 * codes count as `otp`. `idp` is a sign-in through an identity provider. `mfa` is added if the provider's
 * `acr` is mapped to `2`.
 */
export const AUTHENTICATION_METHODS = ['pwd', 'otp', 'hwk', 'swk', 'idp', 'mfa'] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];
const AMR_METHODS = ['pwd', 'otp', 'hwk', 'swk'] as const satisfies readonly AuthenticationMethod[];

const hasPasskey = (methods: readonly AuthenticationMethod[]): boolean =>
  methods.includes('hwk') || methods.includes('swk');

/** A passkey counts as two factors: the device, and a PIN or biometrics. */
export const isMultiFactor = (methods: readonly AuthenticationMethod[]): boolean =>
  hasPasskey(methods) ||
  methods.includes('mfa') ||
  (methods.includes('otp') && (methods.includes('pwd') || methods.includes('idp')));

/**
 * Whether the user presented two of the account's own factors. MFA at an identity provider (`mfa`) doesn't
 * count.
 */
export const hasLocalMfa = (methods: readonly AuthenticationMethod[]): boolean =>
  isMultiFactor(methods.filter((method) => method !== 'mfa'));

/**
 * Lists the methods that would complete MFA.
 * @param session.methods the methods already used
 */
export function listAvailableMethods(session: {
  hasPassword: boolean;
  requiresTotp: boolean;
  passkeyMethods: readonly AuthenticationMethod[];
  methods?: readonly AuthenticationMethod[];
}): AuthenticationMethod[] {
  const { hasPassword, requiresTotp, passkeyMethods, methods = [] } = session;
  // Accounts with a passkey also have recovery codes, which count as `otp`. A code alone is only one factor.
  const hasFirstFactor = hasPassword || methods.includes('idp');
  const hasCode = hasFirstFactor && (requiresTotp || passkeyMethods.length > 0);
  return [...(hasCode ? ['otp' as const] : []), ...passkeyMethods];
}

/** Omits `idp` because RFC 8176 doesn't define it. */
export const toAmr = (methods: readonly AuthenticationMethod[]): string[] => [
  ...AMR_METHODS.filter((method) => methods.includes(method)),
  ...(hasPasskey(methods) ? ['user'] : []),
  ...(isMultiFactor(methods) ? ['mfa'] : []),
];

/**
 * Weakest first. `1` is one factor, and `2` is MFA. `phr` is phishing-resistant, and `phrh` is also
 * hardware-protected. `phr` and `phrh` are from OpenID Connect Extended Authentication Profile ACR Values 1.0.
 */
export const ACRS = ['1', '2', 'phr', 'phrh'] as const;
export type Acr = (typeof ACRS)[number];

export const isAcr = (value: string): value is Acr => (ACRS as readonly string[]).includes(value);

/**
 * Returns the strongest requested value that the methods meet. If they meet no requested value, returns the
 * strongest value that they meet.
 */
export const selectAcr = (methods: readonly AuthenticationMethod[], requested: readonly Acr[] = []): Acr =>
  ACRS.findLast((acr) => requested.includes(acr) && meetsAcr(acr, methods)) ??
  ACRS.findLast((acr) => meetsAcr(acr, methods)) ??
  '1';

export function meetsAcr(acr: Acr, methods: readonly AuthenticationMethod[]): boolean {
  switch (acr) {
    case '1':
      return true;
    case '2':
      return isMultiFactor(methods);
    case 'phr':
      return hasPasskey(methods);
    case 'phrh':
      return methods.includes('hwk');
  }
}

export const MFA_POLICIES = ['optional', 'administrators', 'everyone'] as const;
export type MfaPolicy = (typeof MFA_POLICIES)[number];

export const isMfaRequired = (policy: MfaPolicy, { isAdmin }: { isAdmin: boolean }): boolean =>
  policy === 'everyone' || (policy === 'administrators' && isAdmin);
