// GET and POST /account/email: the address of the account, and changing it once the new mailbox has answered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { askForChange, confirmByCode } from '../../credentials/email-address.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { forgetTokens, newestToken } from '../../store/one-time-tokens.ts';
import { askerOf, fromOf } from '../../web/asking.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { knownSince } from '../../web/known-browsers.ts';
import { confirmation, isRecent, memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { emailView } from './email-view.ts';

const PATH = '/account/email';

export function emailPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(PATH, (request, reply) => show(request, reply));

  area.post(PATH, async (request, reply) => {
    if (!parts.mailer.available) return show(request, reply, { status: 400 });
    const email = formOf(request).get('new_email')?.trim() ?? '';
    const faults: Fault[] = [];
    if (!isEmail(email)) faults.push({ field: 'new_email', text: ({ problems }) => problems.emailInvalid });
    // Only a form that is otherwise good is worth counting a password for.
    const confirmed = faults.length === 0 ? await confirmation(request, parts) : 'confirmed';
    if (confirmed !== 'confirmed')
      faults.push({
        field: 'current_password',
        text: ({ account: { credentials } }) =>
          confirmed === 'passwordMissing'
            ? credentials.password.currentMissing
            : credentials.password.currentWrong,
      });
    if (faults.length > 0) return show(request, reply, { status: 400, email, faults });
    const wish = { email, knownSince: await knownSince(request, parts, memberOf(request).userId) };
    const asked = await askForChange(parts, askerOf(request, reply, parts), wish, parts.now());
    if (asked === 'sent') return reply.redirect(`${PATH}?done=sent`, 303);
    return show(request, reply, {
      status: asked === 'tooMany' ? 429 : 400,
      email,
      faults: [
        {
          field: 'new_email',
          text: ({ account: { credentials } }) =>
            asked === 'tooMany' ? credentials.tooManyMails : credentials.email[asked],
        },
      ],
    });
  });

  area.post(`${PATH}/code`, async (request, reply) => {
    const code = formOf(request).get('code');
    if (code === undefined) return refuse('codeMissing');
    const wanted = { userId: memberOf(request).userId, kind: 'change_email', code } as const;
    const { outcome } = await confirmByCode(parts, wanted, fromOf(request, reply, parts), parts.now());
    if (outcome === 'changed' || outcome === 'verified') return reply.redirect(`${PATH}?done=changed`, 303);
    if (outcome === 'taken')
      return show(request, reply, {
        status: 400,
        faults: [{ field: 'code', text: (messages) => messages.account.credentials.email.taken }],
      });
    return refuse(outcome === 'wrong' ? 'codeWrong' : 'codeDead');

    function refuse(problem: 'codeMissing' | 'codeWrong' | 'codeDead') {
      const fault: Fault = { field: 'code', text: ({ account }) => account.credentials[problem] };
      return show(request, reply, { status: 400, faults: [fault] });
    }
  });

  area.post(`${PATH}/cancel`, async (request, reply) => {
    await forgetTokens(database, memberOf(request).userId, 'change_email');
    return reply.redirect(`${PATH}?done=cancelled`, 303);
  });

  // Where the language links of a page lead that answered one of these forms.
  for (const form of ['code', 'cancel'])
    area.get(`${PATH}/${form}`, (_request, reply) => reply.redirect(PATH, 303));

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, email = '', faults = [] }: { status?: number; email?: string; faults?: Fault[] } = {},
  ): Promise<FastifyReply> {
    const member = memberOf(request);
    const waiting = await newestToken(database, member.userId, 'change_email', parts.now());
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.account.credentials.email.title,
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) => {
        const errors = inWords(faults, messages);
        return emailView({
          messages,
          csrf: member.csrf,
          present: member,
          mailAvailable: parts.mailer.available,
          waitingFor: waiting?.email,
          recent: isRecent(member, parts.now()),
          email,
          // Where no code is waited for any more, there is no field to point to.
          errors: errors.map((error) =>
            error.field === 'code' && waiting === undefined ? { text: error.text } : error,
          ),
          notice: doneOf(request, messages.account.credentials.email.done),
        });
      },
    });
  }
}
