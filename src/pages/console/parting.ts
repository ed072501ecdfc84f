// /console/applications/:client_id/delete, …/release and …/transfer: parting with an application, or keeping it after all.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName, isEmail } from '../../accounts/account-fields.ts';
import { deleteApplication, releaseApplication } from '../../applications/changes.ts';
import {
  acceptTransfer,
  cancelTransfer,
  declineTransfer,
  markOf,
  offerTransfer,
} from '../../applications/transfers.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { countPeople, type OwnApplication } from '../../store/applications.ts';
import { findHandover } from '../../store/handover.ts';
import { findOwnOffer, findReceivedOffer, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { emailKey } from '../../store/users.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { isRecent, memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { type Page, sendPage } from '../../web/page.ts';
import { askToVerify, clientIdOf, confirmationFaults, mustVerify, ownApplication, ownerOf } from './own.ts';
import { acceptView, deleteView, offerView, releaseView } from './parting-view.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { OVERLAPS } from './secrets-view.ts';

const ONE = `${APPLICATIONS}/:client_id`;

export function partingPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(`${ONE}/delete`, async (request, reply) =>
    showDelete(request, reply, await ownApplication(request, parts), '', []),
  );

  area.post(`${ONE}/delete`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId, name } = application;
    const typed = formOf(request).get('name') ?? '';
    const faults: Fault[] = await confirmationFaults(request, parts);
    if (cleanName(typed) !== name)
      faults.unshift({ field: 'name', text: ({ applications }) => applications.problems.nameDiffers });
    if (faults.length > 0) return showDelete(request, reply, application, typed, faults);
    if (!(await deleteApplication(database, ownerOf(request), clientId, name, parts.now()))) throw notFound();
    await noticeToMember(request, reply, parts, 'application_deleted', name);
    return reply.redirect(`${APPLICATIONS}?done=deleted`, 303);
  });

  area.get(`${ONE}/release`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    if (application.held !== 'own') return reply.redirect(applicationAddress(application.clientId), 303);
    return showRelease(request, reply, application, []);
  });

  area.post(`${ONE}/release`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId, name } = application;
    const faults: Fault[] = await confirmationFaults(request, parts);
    if (faults.length > 0) return showRelease(request, reply, application, faults);
    // An operator may have suspended it meanwhile: its page says so.
    if (!(await releaseApplication(database, ownerOf(request), clientId, parts.now())))
      return reply.redirect(applicationAddress(clientId), 303);
    await noticeToMember(request, reply, parts, 'application_released', name);
    return reply.redirect(`${applicationAddress(clientId)}?done=released`, 303);
  });

  area.get(`${ONE}/transfer`, async (request, reply) =>
    showOffer(request, reply, await ownApplication(request, parts), '', []),
  );

  area.post(`${ONE}/transfer`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId } = application;
    const email = formOf(request).get('email')?.trim() ?? '';
    const faults: Fault[] = await confirmationFaults(request, parts);
    if (!isEmail(email))
      faults.unshift({ field: 'email', text: ({ applications }) => applications.problems.emailInvalid });
    else if (emailKey(email) === emailKey(memberOf(request).email))
      faults.unshift({ field: 'email', text: ({ applications }) => applications.transfer.own });
    if (faults.length > 0) return showOffer(request, reply, application, email, faults);
    if (!(await offerTransfer(database, ownerOf(request), clientId, email, parts.now()))) throw notFound();
    await noticeToMember(request, reply, parts, 'transfer_offered', application.name);
    return reply.redirect(`${applicationAddress(clientId)}?done=offered`, 303);
  });

  area.post(`${ONE}/transfer/cancel`, async (request, reply) => {
    const { clientId } = await ownApplication(request, parts);
    await cancelTransfer(database, ownerOf(request), clientId, parts.now());
    return reply.redirect(`${applicationAddress(clientId)}?done=offer-cancelled`, 303);
  });

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
  for (const below of ['cancel', 'decline'])
    area.get(`${ONE}/transfer/${below}`, async (_request, reply) => reply.redirect(APPLICATIONS, 303));

  /** @throws OAuthError `not_found` when nothing of this name is on offer to the person */
  async function receivedOffer(request: FastifyRequest): Promise<ReceivedOffer> {
    const { userId } = memberOf(request);
    const offer = await findReceivedOffer(database, userId, clientIdOf(request), parts.now());
    if (offer === undefined) throw notFound();
    return offer;
  }

  /** What every question has in common. */
  const asking = (
    request: FastifyRequest,
    faults: Fault[],
  ): Pick<Page, 'status' | 'account' | 'wide' | 'hasErrors'> => ({
    status: faults.length > 0 ? 400 : 200,
    account: memberOf(request),
    wide: true,
    hasErrors: faults.length > 0,
  });
  const asked = (request: FastifyRequest) => {
    const member = memberOf(request);
    return { csrf: member.csrf, recent: isRecent(member, parts.now()) };
  };

  async function showDelete(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    typed: string,
    faults: Fault[],
  ): Promise<FastifyReply> {
    const people = await countPeople(database, application.clientId);
    return sendPage(request, reply, parts, {
      ...asking(request, faults),
      title: (messages) => messages.applications.remove.title(application.name),
      main: (messages) =>
        deleteView({
          ...asked(request),
          messages,
          application,
          people,
          typed,
          errors: inWords(faults, messages),
        }),
    });
  }

  function showRelease(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    faults: Fault[],
  ): FastifyReply {
    return sendPage(request, reply, parts, {
      ...asking(request, faults),
      title: (messages) => messages.applications.release.title(application.name),
      main: (messages) =>
        releaseView({ ...asked(request), messages, application, errors: inWords(faults, messages) }),
    });
  }

  async function showOffer(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    email: string,
    faults: Fault[],
  ): Promise<FastifyReply> {
    const { userId } = memberOf(request);
    const offer = await findOwnOffer(database, userId, application.clientId, parts.now());
    return sendPage(request, reply, parts, {
      ...asking(request, faults),
      title: (messages) => messages.applications.transfer.title(application.name),
      main: (messages) =>
        offerView({
          ...asked(request),
          messages,
          application,
          offer,
          email,
          errors: inWords(faults, messages),
        }),
    });
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
          ...asked(request),
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
