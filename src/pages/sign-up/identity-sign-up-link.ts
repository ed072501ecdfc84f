// Seals and opens the emailed links that create accounts for identities.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../http/services.ts';
import type { Locale } from '../../i18n/index.ts';
import type { ExternalProfile } from '../../oauth/identity-provider.ts';
import { EMAIL_LINK_TTL } from '../../oauth/lifetimes.ts';
import { ensureBrowserHolderId, isBoundToBrowser } from '../../web/csrf.ts';
import type { ReturnFields } from '../../web/return-to.ts';

export const CONFIRM_PATH = '/signup/provider/confirm';
const SEAL_PURPOSE = 'identity-sign-up';
/** In characters. Some mail clients break longer links. */
const MAX_LINK_LENGTH = 2000;

export interface IdentitySignUp {
  profile: ExternalProfile;
  name: string;
  email: string;
  locale: Locale;
}

interface SealedSignUp extends IdentitySignUp {
  holder: string;
  /** When the link was created, in milliseconds since 1970. */
  at: number;
  returnTo: ReturnFields;
}

/** Omits a return target that would make the link too long. */
export function sealSignUp(
  reply: FastifyReply,
  services: Services,
  signUp: IdentitySignUp,
  returnTo: ReturnFields,
): string {
  const { sealer, config, now } = services;
  const holder = ensureBrowserHolderId(reply, services);
  const at = now().getTime();
  const { acr: _acr, authTime: _authTime, ...profile } = signUp.profile;
  const buildLink = (fields: ReturnFields) =>
    `${config.baseUrl}${CONFIRM_PATH}?token=${sealer.sealJson(SEAL_PURPOSE, { ...signUp, profile, holder, at, returnTo: fields })}`;
  const link = buildLink(returnTo);
  return link.length > MAX_LINK_LENGTH ? buildLink({}) : link;
}

/**
 * The token doesn't work in other browsers (ADR 24).
 * @returns `otherBrowser` in another browser, undefined for an expired or malformed token
 */
export function openSignUp(
  request: FastifyRequest,
  services: Services,
  token: string | undefined,
): SealedSignUp | 'otherBrowser' | undefined {
  const sealed = services.sealer.openJson<SealedSignUp>(SEAL_PURPOSE, token);
  if (sealed === undefined) return undefined;
  if (sealed.at + EMAIL_LINK_TTL.identity_sign_up * 1000 < services.now().getTime()) return undefined;
  return isBoundToBrowser(request, services, sealed.holder) ? sealed : 'otherBrowser';
}
