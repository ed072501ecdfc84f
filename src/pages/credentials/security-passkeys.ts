// /account/security/passkeys/…: creates, offers, renames and deletes passkeys.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  deletePasskey,
  enrolPasskey,
  MOST_PASSKEYS,
  PASSKEY_NAME_MAX,
  passkeyName,
  renameOwnPasskey,
} from '../../credentials/passkeys.ts';
import { logPasskeyRefusal, type RelyingParty, relyingPartyOf } from '../../credentials/webauthn.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { isSafe, isTraceless } from '../../http/request.ts';
import { messagesFor } from '../../i18n/index.ts';
import { PASSKEY_OFFER } from '../../oauth/lifetimes.ts';
import {
  findPasskey,
  isPasskeyOffered,
  listPasskeys,
  neverOfferPasskey,
  offerPasskey,
  type Passkey,
} from '../../store/passkeys.ts';
import { localeOf } from '../../web/browser.ts';
import { openFormToken } from '../../web/csrf.ts';
import type { Refusal } from '../../web/faults.ts';
import { type Member, memberOf, mustVerifyEmail } from '../../web/member.ts';
import { enrolOptions, NEW_PASSKEY, OFFER_PASSKEY, offering } from '../../web/passkeys.ts';
import {
  destinationOf,
  isInLogin,
  loginUrl,
  parseReturnTo,
  returnFields,
  returnUrl,
  withParameter,
} from '../../web/return-to.ts';
import { SECURITY } from './security-form-view.ts';
import {
  newPasskeyView,
  passkeyOfferView,
  removePasskeyView,
  renamePasskeyView,
} from './security-passkeys-view.ts';

const PASSKEYS = `${SECURITY}/passkeys`;

const actorOf = (request: FastifyRequest) => {
  const { userId, sid, idHash } = memberOf(request);
  return { userId, sid, idHash, address: addressOf(request) };
};

/** Adds the passkey that the form brings. @param to where that leads */
async function create(
  request: FastifyRequest,
  parts: Parts,
  rp: RelyingParty,
  to: string,
): Promise<{ to: string; notice: 'passkey_added' } | Refusal> {
  const { holder, locale } = memberOf(request);
  const answer = formOf(request).get('passkey');
  const otherwise = messagesFor(localeOf(request, undefined, locale)).passkeys.unnamed;
  const made = await enrolPasskey(parts, actorOf(request), { rp, answer, holder, otherwise }, parts.now());
  if (made === 'added') return { to, notice: 'passkey_added' };
  logPasskeyRefusal(request.log, made);
  return { faults: [{ text: ({ passkeys }) => passkeys.notMade }] };
}

interface About extends Member {
  passkey: Passkey;
}

export function securityPasskeysPages(area: FastifyInstance, parts: Parts): void {
  const { database, config } = parts;
  const rp = relyingPartyOf(config);
  if (rp === undefined) return;

  area.formPage({
    url: NEW_PASSKEY,
    about: async (request, reply) => ({
      ...memberOf(request),
      returnTo: await parseReturnTo(request, reply, parts),
    }),
    elsewhere: async ({ userId, returnTo }) =>
      (await listPasskeys(database, userId)).length < MOST_PASSKEYS
        ? undefined
        : returnUrl(returnTo, SECURITY),
    read: () => ({}),
    faults: ({ request }) =>
      formOf(request).get('passkey') === undefined ? [{ text: ({ passkeys }) => passkeys.needsScript }] : [],
    verifiedEmail: true,
    proof: true,
    act({ request, about: { returnTo } }) {
      return create(request, parts, rp, returnUrl(returnTo, `${SECURITY}?done=passkey-added`));
    },
    address: ({ returnTo }) => loginUrl(NEW_PASSKEY, returnTo),
    page: async ({ reply, about: { returnTo, ...member } }) => {
      const options = await enrolOptions(member, parts);
      return {
        returnTo,
        ...offering(options),
        title: (messages) => messages.account.security.passkeys.newTitle,
        main: (form) =>
          newPasskeyView({
            ...form,
            ...returnFields(returnTo),
            entry: isInLogin(returnTo)
              ? {
                  application: destinationOf(returnTo),
                  cancelCsrf: openFormToken(reply, parts),
                }
              : undefined,
            options: options ?? '',
          }),
      };
    },
  });

  const about = async (request: FastifyRequest): Promise<About | Member> => {
    const member = memberOf(request);
    const id = parametersOf(request).get('passkey');
    const passkey = (await listPasskeys(database, member.userId)).find(
      ({ credentialId }) => credentialId === id,
    );
    return passkey === undefined ? member : { ...member, passkey };
  };
  const isTheirs = async (request: FastifyRequest, id: string): Promise<boolean> =>
    (await findPasskey(database, id))?.userId === memberOf(request).userId;
  const isGone = (found: About | Member): string | undefined => ('passkey' in found ? undefined : SECURITY);
  const passkeyOf = (found: About | Member): Passkey => {
    if (!('passkey' in found)) throw new Error('the page leads elsewhere without one');
    return found.passkey;
  };
  const addressFor = (does: 'rename' | 'remove') => (found: About | Member) =>
    withParameter(`${PASSKEYS}/${does}`, 'passkey', passkeyOf(found).credentialId);

  area.formPage({
    url: `${PASSKEYS}/rename`,
    about,
    elsewhere: isGone,
    begin: (found) => ({ name: passkeyOf(found).name }),
    read: (form) => ({ name: form.get('name') ?? '' }),
    faults: ({ fields: { name } }) =>
      passkeyName(name) === undefined
        ? [{ field: 'name', text: ({ passkeys }) => passkeys.nameWrong(PASSKEY_NAME_MAX) }]
        : [],
    proof: true,
    async act({ request, about: found, fields }) {
      const { credentialId } = passkeyOf(found);
      const name = passkeyName(fields.name) ?? '';
      const renamed = await renameOwnPasskey(parts, actorOf(request), { credentialId, name }, parts.now());
      return {
        to: `${SECURITY}?done=passkey-renamed`,
        ...(renamed && { notice: 'passkey_renamed' as const, subject: name }),
      };
    },
    address: addressFor('rename'),
    page: ({ about: found, fields: { name } }) => ({
      title: (messages) => messages.account.security.passkeys.renameTitle,
      main: (form) => renamePasskeyView({ ...form, shown: passkeyOf(found), name }),
    }),
  });

  area.formPage({
    url: `${PASSKEYS}/remove`,
    about,
    elsewhere: isGone,
    read: () => ({}),
    proof: true,
    async act({ request, about: found }) {
      const { credentialId, name } = passkeyOf(found);
      const removed = await deletePasskey(parts, actorOf(request), credentialId, parts.now());
      if (!removed && !memberOf(request).hasPassword && (await isTheirs(request, credentialId)))
        return { status: 409, faults: [{ text: ({ account }) => account.security.ownPassword.lastWays }] };
      return {
        to: `${SECURITY}?done=passkey-removed`,
        ...(removed && { notice: 'passkey_removed' as const, subject: name }),
      };
    },
    address: addressFor('remove'),
    page: ({ about: found }) => ({
      title: (messages) => messages.account.security.passkeys.removeTitle(passkeyOf(found).name),
      main: (form) => removePasskeyView({ ...form, shown: passkeyOf(found) }),
    }),
  });
}

/** Seconds for which the page that offers a passkey may be opened again. */
const OPEN = 10 * 60;

/** Offers a passkey after a password sign-in on a device that can hold one, once in two weeks. */
export function passkeyOfferPage(area: FastifyInstance, parts: Parts): void {
  const { database, config } = parts;
  const rp = relyingPartyOf(config);
  if (rp === undefined) return;

  area.formPage({
    url: OFFER_PASSKEY,
    about: async (request, reply) => ({
      ...memberOf(request),
      returnTo: await parseReturnTo(request, reply, parts),
    }),
    async elsewhere({ userId, emailVerified, returnTo }, request) {
      if (mustVerifyEmail(config, { emailVerified })) return returnUrl(returnTo);
      // Whoever answers it later still has it in front of them, and perhaps a passkey that was made for it.
      if (!isSafe(request)) return undefined;
      const now = parts.now();
      const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
      const again = later(PASSKEY_OFFER);
      const isOffered =
        (await isPasskeyOffered(database, userId, later(PASSKEY_OFFER - OPEN), again)) ||
        (!isTraceless(request) && (await offerPasskey(database, userId, now, again)));
      return isOffered ? undefined : returnUrl(returnTo);
    },
    read: () => ({}),
    proof: ({ request }) => formOf(request).get('passkey') !== undefined,
    async act({ request, about: { userId, returnTo } }) {
      const to = returnUrl(returnTo);
      const answer = formOf(request).get('passkey');
      if (formOf(request).get('choice') === 'never') await neverOfferPasskey(database, userId);
      if (answer === undefined) return to;
      return create(request, parts, rp, to);
    },
    address: ({ returnTo }) => loginUrl(OFFER_PASSKEY, returnTo),
    async page({ about: { returnTo, ...member } }) {
      const options = await enrolOptions(member, parts);
      return {
        returnTo,
        ...offering(options),
        title: (messages) => messages.passkeys.offer.title,
        main: (form) => passkeyOfferView({ ...form, ...returnFields(returnTo), options: options ?? '' }),
      };
    },
  });
}
