// /account/delete: deleting the account.
import type { FastifyInstance } from 'fastify';
import { announceDeletion } from '../../accounts/announcements.ts';
import { deleteOwnAccount } from '../../accounts/deletion.ts';
import type { Parts } from '../../http/parts.ts';
import { readEmail } from '../../oauth/email.ts';
import { listConsents } from '../../store/consents.ts';
import { listOwnApplications } from '../../store/exported-data.ts';
import { listOwnApis } from '../../store/own-apis.ts';
import { emailKey } from '../../store/users.ts';
import { fromOf } from '../../web/browser.ts';
import { forgetCookie } from '../../web/cookies.ts';
import { DELETED } from '../../web/farewells.ts';
import { memberOf } from '../../web/member.ts';
import { deletionView } from './deletion-view.ts';

const DAY = 24 * 3600;

export function deletionPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.formPage({
    url: '/account/delete',
    about: memberOf,
    read: (form) => ({ typed: readEmail(form.get('email')) }),
    faults: ({ about: { email }, fields: { typed } }) =>
      emailKey(typed) === emailKey(email)
        ? []
        : [{ field: 'email', text: (messages) => messages.account.deletion.emailDiffers }],
    proof: true,
    async act({ request, reply, about: member }) {
      const from = fromOf(request);
      const { userId } = member;
      const outcome = await deleteOwnAccount(database, { userId, address: from.address }, parts.now());
      if (outcome === 'lastOperator')
        return { faults: [{ text: (messages) => messages.account.deletion.lastOperator }] };
      if (outcome === 'deleted') await announceDeletion(parts, member, from, parts.now());
      forgetCookie(reply, 'session');
      return DELETED;
    },
    async page({ about: { userId, email }, fields: { typed } }) {
      const consents = (await listConsents(database, userId)).length;
      const own = await listOwnApplications(database, userId);
      const apis = await listOwnApis(database, userId);
      const remembered = Math.ceil(config.auditRetention / DAY);
      return {
        title: (messages) => messages.account.deletion.title,
        main: (form) => deletionView({ ...form, email, typed, consents, own, apis, remembered }),
      };
    },
  });
}
