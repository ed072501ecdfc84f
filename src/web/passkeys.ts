// Creates WebAuthn options with a sealed challenge for pages to pass to the browser.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  buildCreationOptions,
  buildRequestOptions,
  createChallenge,
  getRelyingParty,
  parsePasskeyResponse,
  toUserHandle,
} from '../credentials/webauthn.ts';
import { readForm } from '../http/parameters.ts';
import type { Services } from '../http/services.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import { findPasskey, listPasskeys, type Passkey } from '../store/passkeys.ts';
import type { Session } from '../store/sessions.ts';
import { browserIdsOf } from './browser.ts';
import { deriveHolderId, ensureBrowserHolderId } from './csrf.ts';
import type { Html } from './html/html.ts';
import { PASSKEY_SCRIPTS, passkeySignal } from './html/passkey.ts';
import type { PageScripts } from './page.ts';
import type { SignedInUser } from './session-guard.ts';

export const NEW_PASSKEY_PATH = '/account/security/passkeys/new';
export const OFFER_PASSKEY_PATH = '/account/security/passkeys/offer';

/**
 * Returns undefined if no passkey can be used.
 * @param userId the account, if an earlier step identified it
 * @param methods the accepted kinds of passkey: device-bound (`hwk`), synced (`swk`)
 */
export async function passkeySignInOptions(
  reply: FastifyReply,
  services: Services,
  userId?: string,
  methods: readonly AuthenticationMethod[] = ['hwk', 'swk'],
): Promise<string | undefined> {
  const rp = getRelyingParty(services.config);
  const allPasskeys = userId === undefined ? undefined : await listPasskeys(services.database, userId);
  const passkeys = allPasskeys?.filter(({ synced }) => methods.includes(synced ? 'swk' : 'hwk'));
  if (rp === undefined || passkeys?.length === 0) return undefined;
  const holder = ensureBrowserHolderId(reply, services);
  const challenge = createChallenge(services.sealer, { purpose: 'sign-in', holder, userId }, services.now());
  return buildRequestOptions(rp, challenge, passkeys);
}

/** A passkey challenge may be bound to any of these ids. */
export const browserHolderIds = (request: FastifyRequest, { sealer }: Services): string[] =>
  browserIdsOf(request).map((id) => deriveHolderId(sealer, id));

/** Returns undefined if the account has no passkey. */
export async function passkeyReauthenticationOptions(
  { userId, holder, passkeyMethods }: Pick<SignedInUser, 'userId' | 'holder' | 'passkeyMethods'>,
  services: Services,
): Promise<string | undefined> {
  const rp = getRelyingParty(services.config);
  if (rp === undefined || passkeyMethods.length === 0) return undefined;
  const challenge = createChallenge(services.sealer, { purpose: 'confirm', holder, userId }, services.now());
  return buildRequestOptions(rp, challenge, await listPasskeys(services.database, userId));
}

/** Returns undefined if passkeys are unavailable. */
export async function passkeyCreationOptions(
  user: SignedInUser,
  services: Services,
): Promise<string | undefined> {
  const rp = getRelyingParty(services.config);
  if (rp === undefined) return undefined;
  const { userId, holder } = user;
  const challenge = createChallenge(services.sealer, { purpose: 'enroll', holder, userId }, services.now());
  return buildCreationOptions(rp, challenge, user, await listPasskeys(services.database, userId));
}

export const passkeyPageOptions = (options: string | undefined): PageScripts =>
  options === undefined ? {} : { usesFetch: true, scripts: PASSKEY_SCRIPTS };

/** Tells the authenticator the account's passkeys, email address and name. */
export function acceptedPasskeysSignal(
  { config }: Pick<Services, 'config'>,
  { userId, email, name }: Pick<Session, 'userId' | 'email' | 'name'>,
  passkeys: readonly Passkey[],
): Html | undefined {
  const rp = getRelyingParty(config);
  const accepted = passkeys.map(({ credentialId }) => credentialId);
  return rp && passkeySignal(rp.id, { userId: toUserHandle(userId), accepted, email, name });
}

/**
 * Returns the passkey's id if the account has no such passkey. The page then tells the authenticator to stop offering
 * the passkey.
 */
export async function findUnknownPasskey(
  request: FastifyRequest,
  services: Services,
): Promise<string | undefined> {
  const form = readForm(request);
  const response = form.get('passkey') ?? form.get('confirmation_passkey');
  const passkey = response === undefined ? undefined : parsePasskeyResponse(response);
  const userId = passkey?.isNew ? request.user?.userId : passkey?.userId;
  if (passkey === undefined || userId === undefined || getRelyingParty(services.config) === undefined)
    return undefined;
  const { credentialId } = passkey;
  return (await findPasskey(services.database, userId, credentialId)) === undefined
    ? credentialId
    : undefined;
}
