// Identity providers for sign-in, and the identities that they assert.

/** `oidc` is any OpenID Connect provider. `github` supports only OAuth 2.0. */
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

export const isProviderId = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,39}$/.test(text);

export interface ProviderOptions {
  /** Microsoft tenants whose users may sign in. If empty, all organizations are allowed. */
  tenants?: readonly string[];
  /** Also allows personal Microsoft accounts if `tenants` is empty. */
  personalAccounts?: true;
  /** Overrides the method from the provider's metadata. */
  tokenEndpointAuthMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Apple only. */
  teamId?: string;
  keyId?: string;
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

/** Only the issuer and the subject identify the user (OpenID Connect Core §5.7). */
export interface ExternalIdentity {
  issuer: string;
  subject: string;
}

export interface ExternalProfile extends ExternalIdentity {
  providerId: string;
  email: string | undefined;
  /** True only if the administrator trusts the provider for the email domain. */
  emailVerified: boolean;
  name: string | undefined;
  picture: string | undefined;
  acr: string | undefined;
  authTime: Date | undefined;
}

export const getIdentityLabel = ({
  email,
  name,
  subject,
}: Pick<ExternalProfile, 'email' | 'name' | 'subject'>): string => email ?? name ?? subject;
