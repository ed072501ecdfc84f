// GET and POST /account/verify: the account's own address is verified by the code of a mail, sent on demand.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { askForVerification, confirmByCode } from '../../credentials/email-address.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { newestToken } from '../../store/one-time-tokens.ts';
import { askerOf, fromOf } from '../../web/asking.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { verifyView } from './email-view.ts';

const PATH = '/account/verify';

export function verifyPage(area: FastifyInstance, parts: Parts): void {
  area.get(PATH, (request, reply) => show(request, reply));

  area.post(PATH, async (request, reply) => {
    const code = formOf(request).get('code');
    if (code === undefined) return show(request, reply, 400, 'codeMissing');
    const { userId } = memberOf(request);
    const wanted = { userId, kind: 'verify_email', code } as const;
    const { outcome } = await confirmByCode(parts, wanted, fromOf(request, reply, parts), parts.now());
    if (outcome === 'verified') return reply.redirect(`${PATH}?done=verified`, 303);
    return show(request, reply, 400, outcome === 'wrong' ? 'codeWrong' : 'codeDead');
  });

  area.post(`${PATH}/send`, async (request, reply) => {
    if (!parts.mailer.available || memberOf(request).emailVerified) return reply.redirect(PATH, 303);
    const asked = await askForVerification(parts, askerOf(request, reply, parts), parts.now());
    if (asked === 'sent') return reply.redirect(`${PATH}?done=sent`, 303);
    return show(request, reply, 429, 'tooManyMails');
  });

  // Where the language links of a page lead that answered the form.
  area.get(`${PATH}/send`, (_request, reply) => reply.redirect(PATH, 303));

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    status = 200,
    problem?: 'codeMissing' | 'codeWrong' | 'codeDead' | 'tooManyMails',
  ): Promise<FastifyReply> {
    const member = memberOf(request);
    const waiting = await newestToken(parts.database, member.userId, 'verify_email', parts.now());
    const hasField = waiting !== undefined && problem !== 'tooManyMails';
    const faults: Fault[] =
      problem === undefined
        ? []
        : [{ ...(hasField && { field: 'code' }), text: ({ account }) => account.credentials[problem] }];
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.account.credentials.verify.title,
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        verifyView({
          messages,
          csrf: member.csrf,
          email: member.email,
          emailVerified: member.emailVerified,
          mailAvailable: parts.mailer.available,
          isWaiting: waiting !== undefined,
          errors: inWords(faults, messages),
          notice: doneOf(request, messages.account.credentials.verify.done),
        }),
    });
  }
}
