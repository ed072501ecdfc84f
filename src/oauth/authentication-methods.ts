// Authentication methods (amr), assurance levels (acr), and MFA policies.

/**
 * The authentication methods that are recorded in sessions (RFC 8176). Device-bound passkeys are `hwk`, synced passkeys
 * are `swk`. Both require user verification. Recovery codes count as `otp`.
 */
export const AUTHENTICATION_METHODS = ['pwd', 'otp', 'hwk', 'swk'] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

const hasPasskey = (methods: readonly AuthenticationMethod[]): boolean =>
  methods.includes('hwk') || methods.includes('swk');

/** Whether the methods include two factors. A passkey counts as two factors: the device, and a PIN or biometrics. */
export const isMultiFactor = (methods: readonly AuthenticationMethod[]): boolean =>
  hasPasskey(methods) || (methods.includes('pwd') && methods.includes('otp'));

/** Lists an account's authentication methods other than the password. */
export function listAvailableMethods(account: {
  hasPassword: boolean;
  requiresTotp: boolean;
  passkeyMethods: readonly AuthenticationMethod[];
}): AuthenticationMethod[] {
  const { hasPassword, requiresTotp, passkeyMethods } = account;
  // Accounts with a passkey also have recovery codes, which count as `otp`. Without a password, a recovery code alone
  // would be a single factor.
  const hasCode = hasPassword && (requiresTotp || passkeyMethods.length > 0);
  return [...(hasCode ? ['otp' as const] : []), ...passkeyMethods];
}

export const toAmr = (methods: readonly AuthenticationMethod[]): string[] => [
  ...AUTHENTICATION_METHODS.filter((method) => methods.includes(method)),
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
 * Selects the value of the `acr` claim: the strongest requested value that the methods meet. If the methods meet no
 * requested value, selects the strongest value that they meet.
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
