// /account/security/codes: shows new recovery codes until somebody says to have copied them (ADR 11); the same as a file.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { markCodesCopied, shownCodes } from '../../credentials/second-factor-setup.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { forgetCookie, readCookie } from '../../web/cookies.ts';
import { memberOf } from '../../web/member.ts';
import { isInLogin, loginUrl, parseReturnTo, returnFields, returnUrl } from '../../web/return-to.ts';
import { CODES } from './security.ts';
import { SECURITY } from './security-form-view.ts';
import { codesView } from './security-view.ts';

export function securityCodesPage(area: FastifyInstance, parts: Parts): void {
  const codesOf = async (request: FastifyRequest) => {
    const form = readCookie(request, 'shown', CODES);
    const codes = form && (await shownCodes(parts, memberOf(request), form, parts.now()));
    return form && codes ? { form, codes } : undefined;
  };

  area.formPage({
    url: `${SECURITY}/codes`,
    about: async (request, reply) => ({
      shown: await codesOf(request),
      returnTo: await parseReturnTo(request, reply, parts),
    }),
    elsewhere: ({ shown, returnTo }) => (shown === undefined ? returnUrl(returnTo, SECURITY) : undefined),
    read: () => ({}),
    async act({ request, reply, about: { shown, returnTo } }) {
      if (shown !== undefined)
        await markCodesCopied(parts, memberOf(request).userId, shown.form, parts.now());
      forgetCookie(reply, 'shown', CODES);
      return returnUrl(returnTo, `${SECURITY}?done=codes`);
    },
    address: ({ returnTo }) => loginUrl(`${SECURITY}/codes`, returnTo),
    page: ({ about: { shown, returnTo } }) => ({
      returnTo,
      title: (messages) => messages.account.security.codes.title,
      main: (form) =>
        codesView({
          ...form,
          ...returnFields(returnTo),
          framed: !isInLogin(returnTo),
          codes: shown?.codes ?? [],
        }),
    }),
  });

  area.get(`${SECURITY}/codes.txt`, async (request, reply) => {
    const shown = await codesOf(request);
    if (shown === undefined) throw notFound();
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="recovery-codes.txt"')
      .type('text/plain; charset=utf-8')
      .send(`${parts.config.serviceName} (${parts.config.baseUrl})\n\n${shown.codes.join('\n')}\n`);
  });
}
