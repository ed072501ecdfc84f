// …/transfer and …/transfer/cancel of an application or an API: offering it to another account.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { APPLICATION_OFFERS, cancelOffer, type Offering, offer } from '../../applications/offers.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import { emailKey } from '../../store/users.ts';
import { fromOf } from '../../web/browser.ts';
import { memberOf } from '../../web/member.ts';
import { ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, type Owned, ownedApplication } from './parts-view.ts';
import { type OfferView, offerView } from './transfer-view.ts';

/** A part of the console whose things can be offered: applications, or APIs. */
export interface OfferSection {
  /** Where its list is. */
  page: string;
  /** The address of one of them. */
  url: string;
  offering: Offering;
  /** @throws OAuthError `not_found` when it is not the person's own */
  find: (request: FastifyRequest, parts: Parts) => Promise<Owned>;
  words: (messages: Messages) => OfferView['words'];
  notice: 'transfer_offered' | 'api_transfer_offered';
}

export const applicationTransfers: OfferSection = {
  page: APPLICATIONS,
  url: `${APPLICATIONS}/:client_id`,
  offering: APPLICATION_OFFERS,
  find: async (request, parts) => ownedApplication(await ownApplication(request, parts)),
  words: ({ applications }) => applications.transfer,
  notice: 'transfer_offered',
};

export function transferPages(area: FastifyInstance, parts: Parts, section: OfferSection): void {
  const { page, url, offering, find, words, notice } = section;
  const { database } = parts;

  area.formPage({
    url: `${url}/transfer`,
    about: (request) => find(request, parts),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults({ request, fields: { email } }) {
      if (!isEmail(email))
        return [{ field: 'email', text: ({ applications }) => applications.problems.emailInvalid }];
      if (emailKey(email) === emailKey(memberOf(request).email))
        return [{ field: 'email', text: ({ applications }) => applications.transfer.own }];
      return [];
    },
    proof: true,
    async act({ request, about: { id, name, address }, fields: { email } }) {
      const to = { email, locale: fromOf(request).locale };
      if (!(await offer(offering, parts, ownerOf(request), id, to, parts.now()))) throw notFound();
      return { to: `${address()}?done=offered`, notice, subject: name };
    },
    async page({ request, about: owned, fields: { email } }) {
      const { userId } = memberOf(request);
      const pending = await offering.offers.findOwn(database, userId, owned.id, parts.now());
      return {
        title: (messages) => words(messages).title(owned.name),
        main: (form) => offerView({ ...form, owned, words: words(form.messages), offer: pending, email }),
      };
    },
  });

  area.formWithin({
    url: `${url}/transfer/cancel`,
    page,
    async act(request) {
      const { id, address } = await find(request, parts);
      await cancelOffer(offering, database, ownerOf(request), id, parts.now());
      return `${address()}?done=offer-cancelled`;
    },
  });
}
