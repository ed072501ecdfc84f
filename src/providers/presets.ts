// Identity provider presets and their differences from a standard OpenID Connect provider.
import type { ProviderPreset } from '../oauth/identity-provider.ts';

export interface Preset {
  /** Undefined if every installation has its own issuer. */
  issuer?: string;
  scope: string;
  parameters?: Readonly<Record<string, string>>;
  /** Whether the provider returns `auth_time` for `max_age` (OpenID Connect Core §3.1.2.1). */
  supportsMaxAge: boolean;
  /** `prompt` value that makes the user sign in again or, at Google, select an account. */
  loginPrompt?: 'login' | 'select_account';
  /** Whether the userinfo response is a JWT (OpenID Connect Core §5.3.2). */
  signsUserinfo?: true;
  endsProviderSession?: true;
}

const STANDARD_SCOPE = 'openid profile email';

export const PRESETS: Readonly<Record<ProviderPreset, Preset>> = {
  oidc: { scope: STANDARD_SCOPE, supportsMaxAge: true, loginPrompt: 'login' },
  google: {
    issuer: 'https://accounts.google.com',
    scope: STANDARD_SCOPE,
    supportsMaxAge: false,
    loginPrompt: 'select_account',
  },
  microsoft: {
    issuer: 'https://login.microsoftonline.com/organizations/v2.0',
    scope: STANDARD_SCOPE,
    supportsMaxAge: false,
    loginPrompt: 'login',
  },
  // Apple requires form_post if scopes are requested.
  apple: {
    issuer: 'https://appleid.apple.com',
    scope: 'openid name email',
    parameters: { response_mode: 'form_post' },
    supportsMaxAge: false,
  },
  gitlab: {
    issuer: 'https://gitlab.com',
    scope: STANDARD_SCOPE,
    supportsMaxAge: true,
    loginPrompt: 'login',
  },
  proconnect: {
    issuer: 'https://auth.agentconnect.gouv.fr/api/v2',
    scope: 'openid given_name usual_name email',
    parameters: { acr_values: 'eidas1' },
    supportsMaxAge: false,
    loginPrompt: 'login',
    signsUserinfo: true,
    endsProviderSession: true,
  },
  github: { issuer: 'https://github.com', scope: 'read:user user:email', supportsMaxAge: false },
};
