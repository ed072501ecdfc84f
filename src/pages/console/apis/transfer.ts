// /console/apis/:api_id/transfer and …/cancel: offering an API to another account.
import type { FastifyInstance } from 'fastify';
import { isEmail } from '../../../accounts/account-fields.ts';
import { cancelApiOffer, offerApi } from '../../../apis/transfers.ts';
import type { Parts } from '../../../http/parts.ts';
import { notFound } from '../../../oauth/errors.ts';
import { apiOffers } from '../../../store/transfer-offers.ts';
import { emailKey } from '../../../store/users.ts';
import { fromOf } from '../../../web/browser.ts';
import { memberOf } from '../../../web/member.ts';
import { ownerOf } from '../own.ts';
import { offerView } from '../transfer-view.ts';
import { APIS, apiAddress, ownedApi } from './frame-view.ts';
import { ownApi } from './own.ts';

const TRANSFER = `${APIS}/:api_id/transfer`;

export function apiTransferPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: TRANSFER,
    about: (request) => ownApi(request, parts),
    read: (form) => ({ email: form.get('email')?.trim() ?? '' }),
    faults({ request, fields: { email } }) {
      if (!isEmail(email))
        return [{ field: 'email', text: ({ applications }) => applications.problems.emailInvalid }];
      if (emailKey(email) === emailKey(memberOf(request).email))
        return [{ field: 'email', text: ({ applications }) => applications.transfer.own }];
      return [];
    },
    proof: true,
    async act({ request, about: { apiId, name }, fields: { email } }) {
      const { locale } = fromOf(request);
      if (!(await offerApi(parts, ownerOf(request), apiId, { email, locale }, parts.now()))) throw notFound();
      const to = `${apiAddress(apiId)}?done=offered`;
      return { to, notice: 'api_transfer_offered', subject: name };
    },
    async page({ request, about: api, fields: { email } }) {
      const offer = await apiOffers.findOwn(database, memberOf(request).userId, api.apiId, parts.now());
      return {
        title: (messages) => messages.apis.transfer.title(api.name),
        main: (form) =>
          offerView({ ...form, owned: ownedApi(api), words: form.messages.apis.transfer, offer, email }),
      };
    },
  });

  area.formWithin({
    url: `${TRANSFER}/cancel`,
    page: APIS,
    async act(request) {
      const { apiId } = await ownApi(request, parts);
      await cancelApiOffer(database, ownerOf(request), apiId, parts.now());
      return `${apiAddress(apiId)}?done=offer-cancelled`;
    },
  });
}
