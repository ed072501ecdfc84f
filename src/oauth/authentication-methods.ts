// Authentication methods (amr), assurance levels (acr), and MFA policies.

/**
 * The authentication methods that are recorded in sessions (RFC 8176). Device-bound passkeys are `hwk`, and synced
 * passkeys are `swk`. Both require user verification. Recovery codes count as `otp`. A sign-in through an identity
 * provider is `idp`, and also `mfa` if an administrator has mapped the provider's `acr` to `2`.
 */
export const AUTHENTICATION_METHODS = ['pwd', 'otp', 'hwk', 'swk', 'idp', 'mfa'] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];
const AMR_METHODS = ['pwd', 'otp', 'hwk', 'swk'] as const satisfies readonly AuthenticationMethod[];

const hasPasskey = (methods: readonly AuthenticationMethod[]): boolean =>
  methods.includes('hwk') || methods.includes('swk');

/** Whether the methods include two factors. A passkey counts as two factors: the device, and a PIN or biometrics. */
export const isMultiFactor = (methods: readonly AuthenticationMethod[]): boolean =>
  hasPasskey(methods) ||
  methods.includes('mfa') ||
  (methods.includes('otp') && (methods.includes('pwd') || methods.includes('idp')));

/**
 * Whether the user presented two of the account's own factors. MFA at an identity provider (`mfa`) doesn't count
 * because some requests require the account's own factors to be presented again.
 */
export const usesOwnMfa = (methods: readonly AuthenticationMethod[]): boolean =>
  isMultiFactor(methods.filter((method) => method !== 'mfa'));

/**
 * Lists the authentication methods that would complete MFA in a session.
 * @param session.methods the methods used in the session so far
 */
export function listAvailableMethods(session: {
  hasPassword: boolean;
  requiresTotp: boolean;
  passkeyMethods: readonly AuthenticationMethod[];
  methods?: readonly AuthenticationMethod[];
}): AuthenticationMethod[] {
  const { hasPassword, requiresTotp, passkeyMethods, methods = [] } = session;
  // Accounts with a passkey also have recovery codes, which count as `otp`. Without a password or
  // an identity provider, a recovery code alone would be a single factor.
  const hasFirstFactor = hasPassword || methods.includes('idp');
  const hasCode = hasFirstFactor && (requiresTotp || passkeyMethods.length > 0);
  return [...(hasCode ? ['otp' as const] : []), ...passkeyMethods];
}

/** Returns the `amr` claim, which omits `idp` because RFC 8176 defines no value for identity providers. */
export const toAmr = (methods: readonly AuthenticationMethod[]): string[] => [
  ...AMR_METHODS.filter((method) => methods.includes(method)),
  ...(hasPasskey(methods) ? ['user'] : []),
  ...(isMultiFactor(methods) ? ['mfa'] : []),
];

/**
 * Supported `acr` values, weakest first. `1` is one factor, `2` is MFA, `phr` is phishing-resistant, and `phrh` is also
 * hardware-protected. `phr` and `phrh` are from OpenID Connect Extended Authentication Profile ACR Values 1.0.
 */
export const ACRS = ['1', '2', 'phr', 'phrh'] as const;
export type Acr = (typeof ACRS)[number];

export const isAcr = (value: string): value is Acr => (ACRS as readonly string[]).includes(value);

/**
 * Selects the value of the `acr` claim: the strongest requested value that the methods meet. If the methods meet none
 * of the requested values, selects the strongest value that they do meet.
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

/** Who must use MFA: no one, administrators, or everyone. */
export const MFA_POLICIES = ['optional', 'administrators', 'everyone'] as const;
export type MfaPolicy = (typeof MFA_POLICIES)[number];

export const isMfaRequired = (policy: MfaPolicy, { isAdmin }: { isAdmin: boolean }): boolean =>
  policy === 'everyone' || (policy === 'administrators' && isAdmin);
