// /console/operations/accounts/new: an operator makes an account for somebody, who gets a link to choose its password.
import type { FastifyInstance } from 'fastify';
import { cleanName, isEmail } from '../../accounts/account-fields.ts';
import { invite } from '../../credentials/operator-mails.ts';
import type { Parts } from '../../http/parts.ts';
import { isLocale } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import { findUserByEmail } from '../../store/users.ts';
import { nameFaults } from '../../web/asking.ts';
import { localeOf } from '../../web/browser.ts';
import type { Fault } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';
import { operatorOf } from './confirmation.ts';
import { ACCOUNTS } from './frame-view.ts';
import { inviteView } from './invite-view.ts';

export function invitePage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: `${ACCOUNTS}/new`,
    about: (request) => ({ language: localeOf(request, undefined, memberOf(request).locale) }),
    begin: ({ language }) => ({ name: '', email: '', language }),
    read(form, { language }) {
      const chosen = form.get('language');
      return {
        name: cleanName(form.get('name') ?? ''),
        email: readEmail(form.get('email')),
        language: isLocale(chosen) ? chosen : language,
      };
    },
    faults({ fields: { name, email } }) {
      const faults: Fault[] = nameFaults(name);
      if (!isEmail(email)) faults.push({ field: 'email', text: ({ problems }) => problems.emailInvalid });
      if (!parts.mailer.available) faults.push({ text: ({ operations }) => operations.invite.noMail });
      return faults;
    },
    proof: true,
    async act({ request, fields: { name, email, language: locale } }) {
      const by = operatorOf(request, { reason: '' });
      const done = await invite(parts, { name, email, locale }, by, parts.now());
      switch (done.outcome) {
        case 'notOperator':
          throw notFound();
        case 'taken':
          return { faults: [{ field: 'email', text: ({ operations }) => operations.invite.taken }] };
        case 'invited':
          return `${ACCOUNTS}/${done.userId}?done=invited`;
      }
    },
    async page({ fields }) {
      // Whose address was refused is asked for again: it may have been anybody's meanwhile.
      const taken = isEmail(fields.email) ? await findUserByEmail(parts.database, fields.email) : undefined;
      return {
        title: (messages) => messages.operations.invite.title,
        main: (form) =>
          inviteView({ ...form, ...fields, taken: taken?.userId, available: parts.mailer.available }),
      };
    },
  });
}
