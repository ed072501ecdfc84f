// /invitation: the page that an invitation's link opens, where its account gets its first password.
import type { FastifyInstance } from 'fastify';
import { resetPassword } from '../../credentials/password-change.ts';
import { HalfSignedIn } from '../../credentials/sign-in.ts';
import type { Parts } from '../../http/parts.ts';
import { deadLink } from '../../web/asking.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { finishLogin, originOf, secondFactorUrl } from '../../web/login.ts';
import { newPasswordOf, passwordLink } from './password-link.ts';
import { invitationView } from './password-view.ts';

const PATH = '/invitation';

export function invitationPage(app: FastifyInstance, parts: Parts): void {
  const { serviceName } = parts.config;

  app.formPage({
    ...passwordLink(parts, PATH, ['invitation']),
    async act({ request, reply, about: { hash } }) {
      const password = newPasswordOf(request);
      const link = { kind: 'invitation', hash } as const;
      const done = await resetPassword(parts, link, password, originOf(request), parts.now);
      if (done === undefined) throw deadLink();
      const { session } = done;
      const returnTo = { page: undefined, next: '/account?done=welcome' };
      if (session instanceof HalfSignedIn) return secondFactorUrl(reply, parts, session, returnTo);
      rememberBrowser(reply, parts, session, 'account');
      return () => finishLogin(reply, session, returnTo);
    },
    page: ({ about: { token, name, email } }) => ({
      asks: true,
      title: (messages) => messages.account.credentials.invitation.title(serviceName),
      token,
      main: (form) => invitationView({ ...form, token, name, email, serviceName }),
    }),
  });
}
