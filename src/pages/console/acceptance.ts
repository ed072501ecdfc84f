// /console/applications/:client_id/transfer/accept and …/decline: taking an application that is on offer, or not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptTransfer, declineTransfer, markOf } from '../../applications/transfers.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { findHandover } from '../../store/handover.ts';
import { findReceivedOffer, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { sendPage } from '../../web/page.ts';
import { acceptView } from './acceptance-view.ts';
import { asked, asking, askToVerify, clientIdOf, confirmationFaults, mustVerify, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { OVERLAPS } from './secrets-view.ts';

const ONE = `${APPLICATIONS}/:client_id`;

export function acceptancePages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  // The other person's side: the application is theirs to see as far as it is on offer to them.
  area.get(`${ONE}/transfer/accept`, async (request, reply) => {
    const offer = await receivedOffer(request);
    // Anybody can sign up with the address that it was offered to.
    if (mustVerify(request, parts)) return askToVerify(request, reply, parts, 200);
    return showAccept(request, reply, offer, []);
  });

  area.post(`${ONE}/transfer/accept`, async (request, reply) => {
    const offer = await receivedOffer(request);
    if (mustVerify(request, parts)) return askToVerify(request, reply, parts, 403);
    const limit = config.applicationsPerAccount;
    const choice = choiceOf(formOf(request));
    const faults: Fault[] = [];
    if (choice.keep.length === 0)
      faults.push({ field: 'callbacks', text: ({ applications }) => applications.faults.callbackMissing });
    if (!(OVERLAPS as readonly string[]).includes(choice.overlap))
      faults.push({ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid });
    if (faults.length === 0) faults.push(...(await confirmationFaults(request, parts)));
    if (faults.length > 0) return showAccept(request, reply, offer, faults, choice);
    const acceptance = { ...choice, overlap: Number(choice.overlap) };
    const outcome = await acceptTransfer(
      database,
      ownerOf(request),
      offer.clientId,
      acceptance,
      limit,
      parts.now(),
    );
    if (outcome === 'tooMany' || outcome === 'changed')
      return showAccept(
        request,
        reply,
        outcome === 'changed' ? await receivedOffer(request) : offer,
        [
          {
            text: ({ applications: { list, transfer } }) =>
              outcome === 'tooMany' ? list.full(limit) : transfer.changed,
          },
        ],
        outcome === 'changed' ? undefined : choice,
      );
    if (outcome === 'gone') return reply.redirect(`${APPLICATIONS}?done=gone`, 303);
    const { ownerId: userId, name: subject, sid } = offer;
    const change = {
      userId,
      kind: 'application_transferred',
      sid: sid ?? undefined,
      address: '',
      detail: { subject },
    } as const;
    await noticeSecurityChange(parts, change, parts.now());
    await noticeToMember(request, reply, parts, 'application_received', subject);
    return reply.redirect(`${applicationAddress(offer.clientId)}?done=accepted`, 303);
  });

  area.post(`${ONE}/transfer/decline`, async (request, reply) => {
    const { clientId } = await receivedOffer(request);
    await declineTransfer(database, ownerOf(request), clientId, parts.now());
    return reply.redirect(`${APPLICATIONS}?done=declined`, 303);
  });

  // Where the language links of an error page lead that answered one of these forms.
  area.get(`${ONE}/transfer/decline`, async (_request, reply) => reply.redirect(APPLICATIONS, 303));

  /** @throws OAuthError `not_found` when nothing of this name is on offer to the person */
  async function receivedOffer(request: FastifyRequest): Promise<ReceivedOffer> {
    const { userId } = memberOf(request);
    const offer = await findReceivedOffer(database, userId, clientIdOf(request), parts.now());
    if (offer === undefined) throw notFound();
    return offer;
  }

  /** @param choice what the form said; all callback URLs and the shortest time where nothing was said yet */
  async function showAccept(
    request: FastifyRequest,
    reply: FastifyReply,
    offer: ReceivedOffer,
    faults: Fault[],
    choice?: AcceptChoice,
  ): Promise<FastifyReply> {
    const handover = await findHandover(database, offer.clientId, parts.now());
    if (handover === undefined) throw notFound();
    return sendPage(request, reply, parts, {
      ...asking(request, faults),
      title: (messages) => messages.applications.transfer.acceptTitle(offer.name),
      main: (messages) =>
        acceptView({
          ...asked(request, parts),
          messages,
          offer,
          handover,
          choice: {
            keep: choice?.keep ?? [...handover.redirectUris.keys()],
            overlap: choice?.overlap ?? '0',
          },
          shown: markOf(handover),
          errors: inWords(faults, messages),
        }),
    });
  }
}

interface AcceptChoice {
  shown: string;
  keep: number[];
  overlap: string;
}

/** Callback URLs go by their places on the page, which the mark of what it showed belongs to. */
const choiceOf = (form: Parameters): AcceptChoice => ({
  shown: form.get('shown') ?? '',
  keep: form
    .all('callbacks')
    .filter((place) => /^\d{1,2}$/.test(place))
    .map(Number),
  overlap: form.get('overlap') ?? '',
});
