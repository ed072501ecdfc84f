// /account/security/password and /account/security/password/remove: having a password again, and giving it up (D43).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { choosePassword, givePasswordUp } from '../../credentials/password-removal.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { newPasswordFaults } from '../../web/asking.ts';
import { memberOf } from '../../web/member.ts';
import { SECURITY } from './security-form-view.ts';
import { addPasswordView, PASSWORD, removePasswordView } from './security-password-view.ts';

export function securityPasswordPages(area: FastifyInstance, parts: Parts): void {
  const actorOf = (request: FastifyRequest) => {
    const { userId, sid } = memberOf(request);
    return { userId, sid, address: addressOf(request) };
  };
  const typed = (request: FastifyRequest) => formOf(request).get('new_password') ?? '';

  area.formPage({
    url: PASSWORD,
    about: memberOf,
    elsewhere: ({ hasPassword }) => (hasPassword ? SECURITY : undefined),
    read: () => ({}),
    faults: ({ request, about: { name, email } }) =>
      newPasswordFaults(parts, 'new_password', typed(request), [name, email]),
    proof: true,
    async act({ request }) {
      const added = await choosePassword(parts, actorOf(request), typed(request), parts.now());
      return { to: `${SECURITY}?done=password-added`, notice: added ? 'password_added' : undefined };
    },
    page: () => ({
      asks: true,
      title: (messages) => messages.account.security.ownPassword.addTitle,
      main: addPasswordView,
    }),
  });

  area.formPage({
    url: `${PASSWORD}/remove`,
    about: memberOf,
    elsewhere: ({ hasPassword }) => (hasPassword ? undefined : SECURITY),
    read: () => ({}),
    verifiedEmail: true,
    proof: true,
    async act({ request }) {
      if (!(await givePasswordUp(parts, actorOf(request), parts.now())))
        return { status: 409, faults: [{ text: ({ account }) => account.security.ownPassword.tooFew }] };
      return { to: `${SECURITY}?done=password-removed`, notice: 'password_removed' };
    },
    page: () => ({
      title: (messages) => messages.account.security.ownPassword.removeTitle,
      main: removePasswordView,
    }),
  });
}
