// /console/apis/:api_id/transfer/accept and …/decline: taking an API that is on offer, or not.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { API_OFFERS, acceptApi, markOf } from '../../../apis/transfers.ts';
import { declineOffer } from '../../../applications/offers.ts';
import { OVERLAPS } from '../../../applications/secrets.ts';
import { noticeSecurityChange } from '../../../credentials/security-notices.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import { findApiHandover } from '../../../store/api-handover.ts';
import { apiOffers, type ReceivedApiOffer } from '../../../store/transfer-offers.ts';
import { memberOf, mustVerifyEmail } from '../../../web/member.ts';
import { ownerOf } from '../own.ts';
import { acceptanceView } from './acceptance-view.ts';
import { APIS, apiAddress } from './frame-view.ts';
import { apiIdOf, tooManyApis } from './own.ts';

const TRANSFER = `${APIS}/:api_id/transfer`;

export function apiAcceptancePages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  // The other person's side: the API is theirs to see as far as it is on offer to them.
  area.formPage({
    url: `${TRANSFER}/accept`,
    about: receivedOffer,
    // Anybody can sign up with the address that it was offered to.
    verifiedEmail: true,
    read: (form) => ({ shown: form.get('shown') ?? '', overlap: form.get('overlap') ?? '' }),
    begin: () => ({ shown: '', overlap: '0' }),
    faults: ({ fields: { overlap } }) =>
      (OVERLAPS as readonly string[]).includes(overlap)
        ? []
        : [{ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid }],
    proof: true,
    async act({ request, about: offer, fields: { shown, overlap } }) {
      const { apiId, ownerId: userId, name: subject, offeredAt: since } = offer;
      const how = { shown, overlap: Number(overlap) };
      const now = parts.now();
      const outcome = await acceptApi(database, ownerOf(request), apiId, how, config.apisPerAccount, now);
      if (outcome === 'tooMany') return tooManyApis(config);
      if (outcome === 'changed') return { faults: [{ text: ({ apis }) => apis.transfer.changed }] };
      if (outcome === 'gone') return `${APIS}?done=gone`;
      await noticeSecurityChange(
        parts,
        { userId, kind: 'api_transferred', since, address: '', detail: { subject } },
        now,
      );
      return { to: `${apiAddress(apiId)}?done=accepted`, notice: 'api_received', subject };
    },
    async page({ about: offer, fields: { overlap } }) {
      const handover = await findApiHandover(database, offer.apiId, parts.now());
      if (handover === undefined) throw notFound();
      return {
        title: (messages) => messages.applications.transfer.acceptTitle(offer.name),
        main: (form, locale) =>
          acceptanceView({ ...form, offer, handover, overlap, locale, shown: markOf(handover) }),
      };
    },
  });

  area.formWithin({
    url: `${TRANSFER}/decline`,
    page: APIS,
    async act(request) {
      const { apiId } = await receivedOffer(request);
      await declineOffer(API_OFFERS, database, ownerOf(request), apiId, parts.now());
      return `${APIS}?done=declined`;
    },
  });

  /** @throws OAuthError `not_found` when nothing of this name is on offer to the person */
  async function receivedOffer(request: FastifyRequest): Promise<ReceivedApiOffer> {
    const member = memberOf(request);
    if (mustVerifyEmail(parts.config, member)) throw notFound();
    const { userId } = member;
    const offer = await apiOffers.findReceived(database, userId, apiIdOf(request), parts.now());
    if (offer === undefined) throw notFound();
    return offer;
  }
}
