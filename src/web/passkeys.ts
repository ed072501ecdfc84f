// What a page hands to the browser for passkeys: a challenge for whoever sees it, and which passkeys would do.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  creationOptions,
  newChallenge,
  passkeyIn,
  relyingPartyOf,
  requestOptions,
  userHandleOf,
} from '../credentials/webauthn.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import { findPasskey, listPasskeys, type Passkey } from '../store/passkeys.ts';
import type { Session } from '../store/sessions.ts';
import { browserIdsOf } from './browser.ts';
import { holderOf, openFormHolder } from './csrf.ts';
import type { Html } from './html/html.ts';
import { PASSKEY_SCRIPTS, passkeySignal } from './html/passkey.ts';
import type { Member } from './member.ts';
import type { Page } from './page.ts';

export const NEW_PASSKEY = '/account/security/passkeys/new';
export const OFFER_PASSKEY = '/account/security/passkeys/offer';

/**
 * For signing in, by whichever passkey the person chooses. Undefined where there can be none.
 * @param userId the account that it has to be of, where that is known
 * @param by what it has to show then: one that stays on its device, one that is synced, either
 */
export async function signInOptions(
  reply: FastifyReply,
  parts: Parts,
  userId?: string,
  by: readonly Method[] = ['hwk', 'swk'],
): Promise<string | undefined> {
  const rp = relyingPartyOf(parts.config);
  const all = userId === undefined ? undefined : await listPasskeys(parts.database, userId);
  const passkeys = all?.filter(({ synced }) => by.includes(synced ? 'swk' : 'hwk'));
  if (rp === undefined || passkeys?.length === 0) return undefined;
  const holder = openFormHolder(reply, parts);
  const challenge = newChallenge(parts.sealer, { purpose: 'sign-in', holder, userId }, parts.now());
  return requestOptions(rp, challenge, passkeys);
}

/** Whoever a passkey that signs in may have been asked by. */
export const openHolders = (request: FastifyRequest, { sealer }: Parts): string[] =>
  browserIdsOf(request).map((id) => holderOf(sealer, id));

/** For confirming that whoever is signed in is there, by one of their own. Undefined where they have none. */
export async function confirmOptions(
  { userId, holder, passkeyMethods }: Pick<Member, 'userId' | 'holder' | 'passkeyMethods'>,
  parts: Parts,
): Promise<string | undefined> {
  const rp = relyingPartyOf(parts.config);
  if (rp === undefined || passkeyMethods.length === 0) return undefined;
  const challenge = newChallenge(parts.sealer, { purpose: 'confirm', holder, userId }, parts.now());
  return requestOptions(rp, challenge, await listPasskeys(parts.database, userId));
}

/** For making one. Undefined where this service can have none. */
export async function enrolOptions(member: Member, parts: Parts): Promise<string | undefined> {
  const rp = relyingPartyOf(parts.config);
  if (rp === undefined) return undefined;
  const { userId, holder } = member;
  const challenge = newChallenge(parts.sealer, { purpose: 'enrol', holder, userId }, parts.now());
  return creationOptions(rp, challenge, member, await listPasskeys(parts.database, userId));
}

/** What a page needs beside, where it offers passkeys. */
export const offering = (options: string | undefined): Pick<Page, 'asks' | 'scripts'> =>
  options === undefined ? {} : { asks: true, scripts: PASSKEY_SCRIPTS };

/** Tells the browser which passkeys of somebody's are good, and what their owner is called now. */
export function signalOfAll(
  { config }: Pick<Parts, 'config'>,
  { userId, email, name }: Pick<Session, 'userId' | 'email' | 'name'>,
  passkeys: readonly Passkey[],
): Html | undefined {
  const rp = relyingPartyOf(config);
  const accepted = passkeys.map(({ credentialId }) => credentialId);
  return rp && passkeySignal(rp.id, { userId: userHandleOf(userId), accepted, email, name });
}

/**
 * The id of the passkey in a refused form, if its account has no such passkey: it was removed, or created and not accepted. Its
 * authenticator would offer it for ever. Without a user handle it may be a passkey of any account, so nothing is said of it.
 */
export async function unknownPasskey(request: FastifyRequest, parts: Parts): Promise<string | undefined> {
  const form = formOf(request);
  const answer = form.get('passkey') ?? form.get('confirmation_passkey');
  const passkey = answer === undefined ? undefined : passkeyIn(answer);
  const userId = passkey?.isNew ? request.member?.userId : passkey?.userId;
  if (passkey === undefined || userId === undefined || relyingPartyOf(parts.config) === undefined)
    return undefined;
  const { credentialId } = passkey;
  return (await findPasskey(parts.database, userId, credentialId)) === undefined ? credentialId : undefined;
}
