// /account/security/passkeys/offer: after a password, alone or with a code, on a device that can hold one, a passkey is offered on the way; once in two
// weeks, and never again where somebody says so.

import type { FastifyInstance } from 'fastify';
import { logPasskeyRefusal } from '../../credentials/passkey-refusal.ts';
import { enrolPasskey } from '../../credentials/passkey-setup.ts';
import { relyingPartyOf } from '../../credentials/relying-party.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { isSafe, isTraceless } from '../../http/safe-methods.ts';
import { messagesFor } from '../../i18n/index.ts';
import { PASSKEY_OFFER } from '../../oauth/lifetimes.ts';
import { isPasskeyOffered, neverOfferPasskey, offerPasskey } from '../../store/passkeys.ts';
import { localeOf } from '../../web/browser.ts';
import { OFFER_PASSKEY } from '../../web/login.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { enrolOptions, offering } from '../../web/passkeys.ts';
import { loginUrl, parseReturnTo, returnFields, returnUrl } from '../../web/return-to.ts';
import { passkeyOfferView } from './passkey-offer-view.ts';

/** How long the page that offers one may be opened again, in another language or after a mistake, in seconds. */
const OPEN = 10 * 60;

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
    async act({ request, about: { userId, sid, idHash, holder, locale, returnTo } }) {
      const to = returnUrl(returnTo);
      const answer = formOf(request).get('passkey');
      if (formOf(request).get('choice') === 'never') await neverOfferPasskey(database, userId);
      if (answer === undefined) return to;
      const otherwise = messagesFor(localeOf(request, undefined, locale)).passkeys.unnamed;
      const actor = { userId, sid, idHash, address: addressOf(request) };
      const made = await enrolPasskey(parts, actor, { rp, answer, holder, otherwise }, parts.now());
      if (made === 'added') return { to, notice: 'passkey_added' };
      logPasskeyRefusal(request.log, made);
      return { faults: [{ text: ({ passkeys }) => passkeys.notMade }] };
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
