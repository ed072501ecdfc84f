// GET and POST /account/password: a new password for the present one; everything else of the account ends (D28).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changePassword } from '../../credentials/password-change.ts';
import { PASSWORD_MIN } from '../../credentials/password-length.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { askerOf, newPasswordFaults } from '../../web/asking.ts';
import { enter, originOf } from '../../web/entering.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { memberOf, ownPassword } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { passwordView } from './password-view.ts';

const PATH = '/account/password';

export function passwordPage(area: FastifyInstance, parts: Parts): void {
  area.get(PATH, (request, reply) => show(request, reply, 200, []));

  area.post(PATH, async (request, reply) => {
    const form = formOf(request);
    const { userId } = memberOf(request);
    const [current, password] = [form.get('current_password'), form.get('new_password') ?? ''];
    const faults: Fault[] = await newPasswordFaults('new_password', password);
    if (current === undefined) faults.unshift(wrong('current_password', 'currentMissing'));
    else if (current === password) faults.push(wrong('new_password', 'same'));
    if (current === undefined || faults.length > 0) return show(request, reply, 400, faults);

    const origin = originOf(request, parts);
    const user = await ownPassword(request, parts, current);
    if (user === undefined) return show(request, reply, 400, [wrong('current_password', 'currentWrong')]);
    const session = await changePassword(parts, user, password, origin, parts.now);
    if (session === undefined) return show(request, reply, 409, [wrong(undefined, 'changedMeanwhile')]);

    rememberBrowser(request, reply, parts, session, 'password');
    // The session that it was done in: what else was done there is undone with it.
    const { userAgent, locale, address, sid } = askerOf(request, reply, parts);
    const { id } = session;
    await noticeSecurityChange(
      parts,
      { userId, kind: 'password_changed', sid, address, detail: { userAgent, locale } },
      parts.now(),
    );
    return enter(reply, parts, id, { page: undefined, next: `${PATH}?done=changed` });
  });

  function show(request: FastifyRequest, reply: FastifyReply, status: number, faults: Fault[]): FastifyReply {
    const member = memberOf(request);
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.account.credentials.password.title,
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        passwordView({
          messages,
          csrf: member.csrf,
          errors: inWords(faults, messages),
          minimum: PASSWORD_MIN,
          notice: doneOf(request, messages.account.credentials.password.done),
        }),
    });
  }
}

const wrong = (
  field: string | undefined,
  problem: 'currentMissing' | 'currentWrong' | 'same' | 'changedMeanwhile',
): Fault => ({
  ...(field !== undefined && { field }),
  text: ({ account }) => account.credentials.password[problem],
});
