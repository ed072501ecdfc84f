// Identity providers that users can sign in with, and the identities that these providers assert.

/**
 * `oidc` stands for any OpenID Connect provider. All other presets use OpenID Connect too, except `github`, which
 * supports only OAuth 2.0.
 */
export const PROVIDER_PRESETS = [
  'google',
  'microsoft',
  'apple',
  'gitlab',
  'proconnect',
  'github',
  'oidc',
] as const;
export type ProviderPreset = (typeof PROVIDER_PRESETS)[number];

export const MAX_PROVIDERS = 12;

/** Whether a string is a valid provider id: 1 to 40 lowercase letters, digits and hyphens. */
export const isProviderId = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,39}$/.test(text);

export interface ProviderOptions {
  /** Microsoft: the ids of the tenants whose users may sign in. Empty if all organizations are allowed. */
  tenants?: readonly string[];
  /** Microsoft: whether personal accounts are allowed, if `tenants` is empty. */
  personalAccounts?: true;
  /** Overrides the token endpoint authentication method that the provider's metadata suggests. */
  tokenEndpointAuthMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Apple: the team id and the id of the private key. */
  teamId?: string;
  keyId?: string;
  /** Maps the provider's `acr` values to those of this service. */
  acrs?: Readonly<Record<string, '2'>>;
}

export interface IdentityProvider {
  providerId: string;
  preset: ProviderPreset;
  name: string;
  issuer: string;
  clientId: string;
  sealedSecret: string;
  options: ProviderOptions;
  trustedEmailDomains: readonly string[];
  position: number;
  disabledAt: Date | null;
  createdAt: Date;
}

/** A user's identity at a provider. Only the issuer and the subject identify the user (OpenID Connect Core §5.7). */
export interface ExternalIdentity {
  issuer: string;
  subject: string;
}

/** An identity and the profile that the provider returned for it. */
export interface ExternalProfile extends ExternalIdentity {
  providerId: string;
  email: string | undefined;
  /**
   * Whether the provider reports the email address as verified, and the administrator trusts the provider for the
   * address's domain.
   */
  emailVerified: boolean;
  name: string | undefined;
  /** URL of the user's picture. */
  picture: string | undefined;
  acr: string | undefined;
  /** When the user signed in to the provider. */
  authTime: Date | undefined;
}

/** Returns a label by which the user recognizes a linked identity. */
export const identityLabel = ({
  email,
  name,
  subject,
}: Pick<ExternalProfile, 'email' | 'name' | 'subject'>): string => email ?? name ?? subject;
