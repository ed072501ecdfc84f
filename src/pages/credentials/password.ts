// /account/password: a new password for the present one; everything else of the account ends (D28).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { changePassword } from '../../credentials/password-change.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { newPasswordFaults } from '../../web/credential-forms.ts';
import type { Fault } from '../../web/faults.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { finishLogin, originOf } from '../../web/login.ts';
import { hasMore, memberOf, ownPassword } from '../../web/member.ts';
import { passwordView } from './password-view.ts';
import { PASSWORD } from './security-password.ts';

const PATH = '/account/password';

export function passwordPage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: PATH,
    about: memberOf,
    elsewhere: ({ hasPassword }) => (hasPassword ? undefined : PASSWORD),
    read: () => ({}),
    async faults({ request, about: { name, email } }) {
      const { current, password } = typed(request);
      const faults: Fault[] = await newPasswordFaults(parts, password, [name, email]);
      if (current === undefined)
        faults.unshift({ field: 'current_password', text: ({ problems }) => problems.passwordMissing });
      else if (current === password)
        faults.push({ field: 'new_password', text: ({ account }) => account.credentials.password.same });
      return faults;
    },
    // The password is looked at below in any case.
    proof: ({ about }) => hasMore(about),
    async act({ request, reply, authentication }) {
      const { current = '', password } = typed(request);
      const member = memberOf(request);
      const origin = originOf(request);
      const user = await ownPassword(request, parts, current);
      if (user === undefined)
        return { faults: [{ field: 'current_password', text: ({ problems }) => problems.passwordWrong }] };
      // Where the account has more than its password, that alone is no fresh proof of it (ADR 13). Where it has no more, the password
      // was shown now, and nothing else counts that the session has shown before.
      const shown = authentication ?? { methods: ['pwd'] as const, fullyProvenAt: parts.now() };
      const { methods, fullyProvenAt } = shown;
      const { userId, passwordHash } = user;
      const { sid, idHash } = member;
      const holder = { userId, passwordHash, sid, methods, fullyProvenAt, idHash };
      const session = await changePassword(parts, holder, password, origin, parts.now);
      if (session === undefined)
        return {
          status: 409,
          faults: [{ text: ({ account }) => account.credentials.password.changedMeanwhile }],
        };
      rememberBrowser(reply, parts, session, 'password');
      const returnTo = { page: undefined, next: `${PATH}?done=changed` };
      // Told of the session that it was done in: what else was done there is undone with it.
      return { to: () => finishLogin(reply, session, returnTo), notice: 'password_changed' };
    },
    done: ({ account }) => account.credentials.password.done,
    page: () => ({
      asks: true,
      title: (messages) => messages.account.credentials.password.title,
      main: passwordView,
    }),
  });
}

const typed = (request: FastifyRequest) => {
  const form = formOf(request);
  return { current: form.get('current_password'), password: form.get('new_password') ?? '' };
};
