// …/transfer of an application or an API: offering it to another account, and accepting what others offer.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { notifyWithin } from '../../accounts/notifications.ts';
import type { Parts } from '../../http/parts.ts';
import { readEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import { acceptTransfer, cancelTransfer, declineTransfer, offerTransfer } from '../../ownership/transfers.ts';
import { findOwnOffer, findReceivedOffer, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { emailKey } from '../../store/users.ts';
import { fromOf } from '../../web/browser.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { idOf, thingAddress } from './frame-view.ts';
import { ownerOf, quotaReached, type Section } from './sections.ts';
import { acceptView, offerView } from './transfer-view.ts';

export function transferPages(area: FastifyInstance, parts: Parts, section: Section): void {
  const { kind, list, url, find } = section;
  const { config, database } = parts;

  area.formPage({
    url: `${url}/transfer`,
    about: (request) => find(request, parts),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults({ request, fields: { email } }) {
      if (!isEmail(email))
        return [{ field: 'email', text: ({ applications }) => applications.problems.emailInvalid }];
      if (emailKey(email) === emailKey(memberOf(request).email))
        return [{ field: 'email', text: ({ ownership }) => ownership.transfer.own }];
      return [];
    },
    proof: true,
    async act({ request, about: thing, fields: { email } }) {
      const to = { email, locale: fromOf(request).locale };
      if (!(await offerTransfer(kind, parts, ownerOf(request), idOf(thing), to, parts.now())))
        throw notFound();
      const notice = `${kind}_transfer_offered` as const;
      return { to: `${thingAddress(thing)}?done=offered`, notice, subject: thing.name };
    },
    async page({ request, about: thing, fields: { email } }) {
      const offer = await findOwnOffer(database, memberOf(request).userId, idOf(thing), parts.now());
      return {
        title: ({ ownership }) => ownership.transfer.title(thing.name),
        main: (form) => offerView({ ...form, thing, offer, email }),
      };
    },
  });

  area.formWithin({
    url: `${url}/transfer/cancel`,
    page: list,
    async act(request) {
      const thing = await find(request, parts);
      await cancelTransfer(kind, database, ownerOf(request), idOf(thing), parts.now());
      return `${thingAddress(thing)}?done=offer-cancelled`;
    },
  });

  area.formPage({
    url: `${url}/transfer/accept`,
    about: receivedOffer,
    // Anybody can sign up with the address that it was offered to.
    verifiedEmail: true,
    read: () => ({}),
    proof: true,
    deletes: true,
    async act({ request, about: { id, ownerId: account, name: subject, offeredAt: since } }, transaction) {
      const limit = config.registrationsPerAccount;
      const outcome = await acceptTransfer(kind, transaction, ownerOf(request), id, limit, parts.now());
      if (outcome === 'tooMany') return quotaReached(section, config);
      if (outcome === 'gone') return `${list}?done=gone`;
      const former = { kind: `${kind}_transferred`, account, since, subject } as const;
      await notifyWithin(parts, transaction, former, parts.now());
      return { to: `${list}/${id}?done=accepted`, notice: `${kind}_received`, subject };
    },
    page: ({ about: offer }) => ({
      title: ({ ownership }) => ownership.transfer.acceptTitle(offer.name),
      main: (form) => acceptView({ ...form, offer }),
    }),
  });

  area.formWithin({
    url: `${url}/transfer/decline`,
    page: list,
    async act(request) {
      if (mustVerifyEmail(config, memberOf(request))) throw notFound();
      await declineTransfer(kind, database, ownerOf(request), section.idOf(request), parts.now());
      return `${list}?done=declined`;
    },
  });

  /** @throws OAuthError `not_found` if it isn't on offer to the user */
  async function receivedOffer(request: FastifyRequest): Promise<ReceivedOffer> {
    const member = memberOf(request);
    if (mustVerifyEmail(config, member)) throw notFound();
    const offer = await findReceivedOffer(database, member.userId, section.idOf(request), parts.now());
    if (offer === undefined) throw notFound();
    return offer;
  }
}
