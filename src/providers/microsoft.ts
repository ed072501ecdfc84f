// Sign-in with Microsoft: tenants and personal accounts.
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import type { ProviderClaims } from './profile.ts';
import { ProviderError } from './provider-error.ts';

/** The issuer in Microsoft's shared discovery document. openid-client inserts the token's `tid`. */
export const MICROSOFT_ISSUER_TEMPLATE = 'https://login.microsoftonline.com/{tenantid}/v2.0';

export const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

/**
 * Returns the issuer whose discovery document is used. The `organizations` endpoint refuses personal accounts and
 * single-tenant apps.
 */
export function getDiscoveryIssuer({ preset, issuer, options }: IdentityProvider): string {
  if (preset !== 'microsoft') return issuer;
  const { tenants = [], personalAccounts } = options;
  if (tenants.length === 1) return issuer.replace('/organizations/', `/${tenants[0]}/`);
  const allowsPersonal = tenants.length > 0 ? tenants.includes(PERSONAL_TENANT) : personalAccounts;
  return allowsPersonal ? issuer.replace('/organizations/', '/common/') : issuer;
}

/**
 * Checks whether users of the token's tenant may sign in.
 * @throws ProviderError
 */
export function checkTenant({ options }: IdentityProvider, { tid }: ProviderClaims): void {
  const { tenants = [], personalAccounts } = options;
  const isAllowed =
    tenants.length > 0
      ? tenants.includes(String(tid))
      : typeof tid === 'string' && (tid !== PERSONAL_TENANT || personalAccounts === true);
  if (!isAllowed) throw new ProviderError('id_token', 'tenant_not_allowed');
}
