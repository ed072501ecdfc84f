// /console/applications/:client_id/transfer and …/cancel: offering an application to another account.
import type { FastifyInstance } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { cancelTransfer, offerTransfer } from '../../applications/transfers.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { applicationOffers } from '../../store/transfer-offers.ts';
import { emailKey } from '../../store/users.ts';
import { fromOf } from '../../web/browser.ts';
import { memberOf } from '../../web/member.ts';
import { ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress, ownedApplication } from './parts-view.ts';
import { offerView } from './transfer-view.ts';

const TRANSFER = `${APPLICATIONS}/:client_id/transfer`;

export function transferPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: TRANSFER,
    about: (request) => ownApplication(request, parts),
    read: (form) => ({ email: form.get('email')?.trim() ?? '' }),
    faults({ request, fields: { email } }) {
      if (!isEmail(email))
        return [{ field: 'email', text: ({ applications }) => applications.problems.emailInvalid }];
      if (emailKey(email) === emailKey(memberOf(request).email))
        return [{ field: 'email', text: ({ applications }) => applications.transfer.own }];
      return [];
    },
    proof: true,
    async act({ request, about: { clientId, name }, fields: { email } }) {
      const { locale } = fromOf(request);
      const offered = { email, locale };
      if (!(await offerTransfer(parts, ownerOf(request), clientId, offered, parts.now()))) throw notFound();
      const to = `${applicationAddress(clientId)}?done=offered`;
      return { to, notice: 'transfer_offered', subject: name };
    },
    async page({ request, about: application, fields: { email } }) {
      const { userId } = memberOf(request);
      const offer = await applicationOffers.findOwn(database, userId, application.clientId, parts.now());
      return {
        title: (messages) => messages.applications.transfer.title(application.name),
        main: (form) => {
          const words = form.messages.applications.transfer;
          return offerView({ ...form, owned: ownedApplication(application), words, offer, email });
        },
      };
    },
  });

  area.formWithin({
    url: `${TRANSFER}/cancel`,
    page: APPLICATIONS,
    async act(request) {
      const { clientId } = await ownApplication(request, parts);
      await cancelTransfer(database, ownerOf(request), clientId, parts.now());
      return `${applicationAddress(clientId)}?done=offer-cancelled`;
    },
  });
}
