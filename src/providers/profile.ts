// Converts a provider's claims to a profile. Values of the wrong type or length are omitted.
import { cleanName, findNameError, isEmail } from '../accounts/account-fields.ts';
import { normalizeEmail } from '../oauth/email.ts';
import type { ExternalIdentity, ExternalProfile, IdentityProvider } from '../oauth/identity-provider.ts';
import { PRESETS } from './presets.ts';

/** OpenID Connect Core §2. */
export const MAX_SUBJECT_LENGTH = 255;
const MAX_PICTURE_LENGTH = 1000;
const MAX_ACR_LENGTH = 200;

export type ProviderClaims = Readonly<Record<string, unknown>>;

export const toExternalProfile = (
  { providerId, preset, issuer, trustedEmailDomains }: IdentityProvider,
  identity: ExternalIdentity,
  claims: ProviderClaims,
): ExternalProfile => {
  const email = parseEmail(claims.email);
  // Apple documents `email_verified` as a string or a boolean.
  const isVerified =
    claims.email_verified === true || (preset === 'apple' && claims.email_verified === 'true');
  // Google may have been added without its preset.
  const isGoogle = preset === 'google' || issuer === PRESETS.google.issuer;
  return {
    ...identity,
    providerId,
    email,
    emailVerified:
      email !== undefined &&
      isVerified &&
      hasTrustedDomain(email, trustedEmailDomains) &&
      (!isGoogle || isHostedByGoogle(email, claims)),
    name: parseName(claims.name) ?? joinNames(claims),
    picture: parsePicture(claims.picture),
    acr: typeof claims.acr === 'string' && claims.acr.length <= MAX_ACR_LENGTH ? claims.acr : undefined,
    authTime: typeof claims.auth_time === 'number' ? new Date(claims.auth_time * 1000) : undefined,
  };
};

function parseEmail(claim: unknown): string | undefined {
  const email = typeof claim === 'string' ? normalizeEmail(claim) : '';
  return isEmail(email) ? email : undefined;
}

/** Whether Google hosts the mailbox. Google verifies other addresses only once, so they may have a new owner. */
const isHostedByGoogle = (email: string, { hd }: ProviderClaims): boolean =>
  /@(gmail|googlemail)\.com$/i.test(email) || (typeof hd === 'string' && hd !== '');

/** Subdomains of trusted domains aren't trusted. */
export const hasTrustedDomain = (email: string, domains: readonly string[]): boolean =>
  domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());

function parseName(claim: unknown): string | undefined {
  const name = typeof claim === 'string' ? cleanName(claim) : '';
  return findNameError(name) === undefined ? name : undefined;
}

/** ProConnect returns `given_name` and `usual_name` instead of `name`. */
function joinNames({ given_name, usual_name, family_name }: ProviderClaims): string | undefined {
  const names = [given_name, usual_name ?? family_name].filter((name) => typeof name === 'string');
  return parseName(names.join(' '));
}

function parsePicture(claim: unknown): string | undefined {
  if (typeof claim !== 'string' || claim.length > MAX_PICTURE_LENGTH || !URL.canParse(claim))
    return undefined;
  return new URL(claim).protocol === 'https:' ? claim : undefined;
}
