// /invitation: the page that an invitation's link opens, where its account gets its first password.
import type { FastifyInstance } from 'fastify';
import { resetPassword } from '../../credentials/password-change.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { tokenHash } from '../../mail/links.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { deadLink, newPasswordFaults } from '../../web/asking.ts';
import { enter, originOf } from '../../web/entering.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { invitationView } from './password-view.ts';

const PATH = '/invitation';

export function invitationPage(app: FastifyInstance, parts: Parts): void {
  const { serviceName } = parts.config;

  app.formPage({
    url: PATH,
    async about(request) {
      const token = parametersOf(request).get('token') ?? '';
      const hash = tokenHash(token);
      const found = hash && (await findToken(parts.database, hash, ['invitation'], parts.now()));
      if (hash === undefined || found === undefined) throw deadLink();
      return { token, hash, name: found.name, email: found.email };
    },
    read: () => ({}),
    faults: ({ request, about: { name, email } }) =>
      newPasswordFaults(parts, 'new_password', formOf(request).get('new_password') ?? '', [name, email]),
    async act({ request, reply, about: { hash } }) {
      const password = formOf(request).get('new_password') ?? '';
      const link = { kind: 'invitation', hash } as const;
      const done = await resetPassword(parts, link, password, originOf(request), parts.now);
      if (done === undefined) throw deadLink();
      rememberBrowser(reply, parts, done.session, 'account');
      return () => enter(reply, done.session, { page: undefined, next: '/account?done=welcome' });
    },
    address: ({ token }) => `${PATH}?token=${token}`,
    page: ({ about: { token, name, email } }) => ({
      asks: true,
      title: (messages) => messages.account.credentials.invitation.title(serviceName),
      token,
      main: (form) => invitationView({ ...form, token, name, email, serviceName }),
    }),
  });
}
