// /account/security/codes: shows new recovery codes until somebody says to have copied them (ADR 11); the same as a file.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { markCodesCopied, shownCodes } from '../../credentials/second-factor-setup.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { forgetCookie, readCookie } from '../../web/cookies.ts';
import {
  entranceAddress,
  isOnTheWay,
  onTheWayOfForm,
  onTheWayOfMember,
  onwardAddress,
  onwardHere,
} from '../../web/entering.ts';
import { memberOf } from '../../web/member.ts';
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
      onward: await onwardHere(request, reply, parts),
    }),
    elsewhere: ({ shown, onward }) => (shown === undefined ? onwardAddress(onward, SECURITY) : undefined),
    read: () => ({}),
    async act({ request, reply, about: { shown, onward } }) {
      if (shown !== undefined)
        await markCodesCopied(parts, memberOf(request).userId, shown.form, parts.now());
      forgetCookie(reply, 'shown', CODES);
      return onwardAddress(onward, `${SECURITY}?done=codes`);
    },
    address: ({ onward }) => entranceAddress(`${SECURITY}/codes`, onward),
    page: ({ request, about: { shown, onward } }) => ({
      ...onTheWayOfMember(onward, memberOf(request)),
      title: (messages) => messages.account.security.codes.title,
      main: (form) =>
        codesView({
          ...form,
          ...onTheWayOfForm(onward),
          framed: !isOnTheWay(onward),
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
