// /console/applications/:client_id/transfer/accept and …/decline: taking an application that is on offer, or not.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { APPLICATION_OFFERS, declineOffer } from '../../applications/offers.ts';
import { OVERLAPS } from '../../applications/secrets.ts';
import { acceptTransfer, markOf } from '../../applications/transfers.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { findHandover } from '../../store/handover.ts';
import { applicationOffers, type ReceivedOffer } from '../../store/transfer-offers.ts';
import type { Fault } from '../../web/faults.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { acceptView } from './acceptance-view.ts';
import { clientIdOf, ownerOf, tooManyApplications } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';

const TRANSFER = `${APPLICATIONS}/:client_id/transfer`;

export function acceptancePages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  // The other person's side: the application is theirs to see as far as it is on offer to them.
  area.formPage({
    url: `${TRANSFER}/accept`,
    about: receivedOffer,
    // Anybody can sign up with the address that it was offered to.
    verifiedEmail: true,
    // Callback URLs go by their places on the page, which the mark of what it showed belongs to.
    read: (form) => ({
      shown: form.get('shown') ?? '',
      keep: form
        .all('callbacks')
        .filter((place) => /^\d{1,2}$/.test(place))
        .map(Number),
      overlap: form.get('overlap') ?? '',
    }),
    begin: () => ({ shown: '', keep: [], overlap: '0' }),
    faults({ fields: { keep, overlap } }) {
      const faults: Fault[] = [];
      if (keep.length === 0)
        faults.push({ field: 'callbacks', text: ({ applications }) => applications.transfer.nothingKept });
      if (!(OVERLAPS as readonly string[]).includes(overlap))
        faults.push({ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid });
      return faults;
    },
    proof: true,
    async act({ request, about: offer, fields }) {
      const limit = config.applicationsPerAccount;
      const owner = ownerOf(request);
      const acceptance = { ...fields, overlap: Number(fields.overlap) };
      const outcome = await acceptTransfer(database, owner, offer.clientId, acceptance, limit, parts.now());
      if (outcome === 'tooMany') return tooManyApplications(config);
      if (outcome === 'changed')
        return { faults: [{ text: ({ applications: { transfer } }) => transfer.changed }] };
      if (outcome === 'gone') return `${APPLICATIONS}?done=gone`;
      const { ownerId: userId, name: subject, offeredAt: since } = offer;
      await noticeSecurityChange(
        parts,
        { userId, kind: 'application_transferred', since, address: '', detail: { subject } },
        parts.now(),
      );
      const to = `${applicationAddress(offer.clientId)}?done=accepted`;
      return { to, notice: 'application_received', subject };
    },
    async page({ about: offer, fields: { keep, overlap, shown } }) {
      const handover = await findHandover(database, offer.clientId, parts.now());
      if (handover === undefined) throw notFound();
      const mark = markOf(handover);
      const every = [...handover.redirectUris.keys()];
      return {
        title: (messages) => messages.applications.transfer.acceptTitle(offer.name),
        main: (form) =>
          // What was ticked belongs to what was shown then.
          acceptView({
            ...form,
            offer,
            handover,
            choice: { keep: shown === mark ? keep : every, overlap },
            shown: mark,
          }),
      };
    },
  });

  area.formWithin({
    url: `${TRANSFER}/decline`,
    page: APPLICATIONS,
    async act(request) {
      const { clientId } = await receivedOffer(request);
      await declineOffer(APPLICATION_OFFERS, database, ownerOf(request), clientId, parts.now());
      return `${APPLICATIONS}?done=declined`;
    },
  });

  /** @throws OAuthError `not_found` when nothing of this name is on offer to the person */
  async function receivedOffer(request: FastifyRequest): Promise<ReceivedOffer> {
    const member = memberOf(request);
    if (mustVerifyEmail(parts.config, member)) throw notFound();
    const { userId } = member;
    const offer = await applicationOffers.findReceived(database, userId, clientIdOf(request), parts.now());
    if (offer === undefined) throw notFound();
    return offer;
  }
}
