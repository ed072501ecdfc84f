// /console/applications/:client_id/transfer and …/cancel: offering an application to another account.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { cancelTransfer, offerTransfer } from '../../applications/transfers.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { findOwnOffer } from '../../store/transfer-offers.ts';
import { emailKey } from '../../store/users.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { sendPage } from '../../web/page.ts';
import { asked, asking, confirmationFaults, ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { offerView } from './transfer-view.ts';

const ONE = `${APPLICATIONS}/:client_id`;

export function transferPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

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

  // Where the language links of an error page lead that answered one of these forms.
  area.get(`${ONE}/transfer/cancel`, async (_request, reply) => reply.redirect(APPLICATIONS, 303));

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
          ...asked(request, parts),
          messages,
          application,
          offer,
          email,
          errors: inWords(faults, messages),
        }),
    });
  }
}
