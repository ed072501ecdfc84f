// /account/verify: the account's own address is verified by the code of a mail, sent on demand.
import type { FastifyInstance } from 'fastify';
import { askForVerification, confirmByCode } from '../../credentials/email-address.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import { fromOf } from '../../web/browser.ts';
import { askerOf, refusedCode } from '../../web/credential-forms.ts';
import { isMemberAddress, memberOf } from '../../web/member.ts';
import { loginUrl } from '../../web/return-to.ts';
import { verifyView } from './email-view.ts';

const PATH = '/account/verify';

export function verifyPage(area: FastifyInstance, parts: Parts): void {
  const { mailer } = parts;

  area.formPage({
    url: PATH,
    about: (request) => ({ ...memberOf(request), next: nextOf(parametersOf(request).get('next')) }),
    read: () => ({}),
    faults: ({ request }) =>
      formOf(request).get('code') === undefined
        ? [{ field: 'code', text: ({ account }) => account.credentials.codeMissing }]
        : [],
    async act({ request, about: { userId, next } }) {
      const typed = formOf(request).get('code') ?? '';
      const wanted = { userId, kind: 'verify_email', typed } as const;
      const { outcome } = await confirmByCode(parts, wanted, fromOf(request), parts.now());
      if (outcome === 'verified') return next ?? '/account/email?done=verified';
      return refusedCode(outcome);
    },
    address: ({ next }) => urlWith(next),
    done: ({ account }) => account.credentials.verify.done,
    async page({ about: { userId, email, emailVerified, next } }) {
      const isWaiting =
        (await newestToken(parts.database, userId, 'verify_email', parts.now())) !== undefined;
      return {
        title: ({ account: { credentials } }) =>
          emailVerified ? credentials.verify.verifiedTitle : credentials.verify.title,
        reach: !mailer.available,
        main: (form) =>
          verifyView({
            ...form,
            next,
            email,
            emailVerified,
            mailAvailable: mailer.available,
            isWaiting,
            // Where no code is waited for, there is no field to point to.
            errors: isWaiting ? form.errors : form.errors.map(({ text }) => ({ text })),
          }),
      };
    },
  });

  area.formWithin({
    url: `${PATH}/send`,
    page: PATH,
    async act(request) {
      if (!mailer.available || memberOf(request).emailVerified) return PATH;
      const next = nextOf(formOf(request).get('next'));
      const returnTo = next === undefined ? {} : { next };
      const asked = await askForVerification(parts, askerOf(request), parts.now(), returnTo);
      if (asked === 'sent') return urlWith(next, { done: 'sent' });
      return { status: 429, faults: [{ text: ({ account }) => account.credentials.tooManyMails }] };
    },
  });
}

/** Where the person was going before; not to this page, which says by itself that it is done. */
const nextOf = (next: string | undefined): string | undefined =>
  next !== undefined && isMemberAddress(next) && !next.startsWith(PATH) ? next : undefined;

const urlWith = (next: string | undefined, more = {}): string =>
  loginUrl(PATH, { page: undefined, next }, more);
