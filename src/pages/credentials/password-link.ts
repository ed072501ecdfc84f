// Links that set a password: reset and invitation.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type PasswordLink, resetPassword } from '../../credentials/password-change.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import { HalfSignedIn } from '../../credentials/sign-in.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { tokenHash } from '../../mail/links.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { fromOf } from '../../web/browser.ts';
import { deadLink, newPasswordFaults } from '../../web/credential-forms.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { finishLogin, originOf, secondFactorUrl } from '../../web/login.ts';
import { restoreReturnTo } from '../../web/return-to.ts';
import { invitationView, resetView, resetWords } from './password-view.ts';

interface LinkedAccount {
  token: string;
  hash: Buffer;
  name: string;
  email: string;
  /** It has never had a password. */
  invited: boolean;
  kind: PasswordLink;
  /** Whether its email address is verified: if not, the link ends everything set up before. */
  emailVerified: boolean;
}

/** The members of `formPage` that such a page begins with. Opening it uses nothing up. */
const passwordLink = (parts: Parts, url: string, kinds: readonly PasswordLink[]) => ({
  url,
  async about(request: FastifyRequest): Promise<LinkedAccount> {
    const token = parametersOf(request).get('token') ?? '';
    const hash = tokenHash(token);
    const found = hash && (await findToken(parts.database, hash, kinds, parts.now()));
    const kind = kinds.find((one) => one === found?.kind);
    if (hash === undefined || found === undefined || kind === undefined) throw deadLink();
    const { name, email, invited, currentVerified: emailVerified } = found;
    return { token, hash, kind, name, email, invited, emailVerified };
  },
  read: () => ({}),
  faults: ({ request, about: { name, email } }: { request: FastifyRequest; about: LinkedAccount }) =>
    newPasswordFaults(parts, newPasswordOf(request), [name, email]),
  address: ({ token }: LinkedAccount) => `${url}?token=${token}`,
});

const newPasswordOf = (request: FastifyRequest): string => formOf(request).get('new_password') ?? '';

export function resetPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    ...passwordLink(parts, '/password/reset', ['reset_password', 'verify_email']),
    async act({ request, reply, about: { hash, kind, invited } }) {
      const password = newPasswordOf(request);
      const done = await resetPassword(parts, { kind, hash }, password, originOf(request), parts.now);
      if (done === undefined) throw deadLink();
      const { session } = done;
      const { userId } = session;
      const { address, userAgent, locale } = fromOf(request);
      await noticeSecurityChange(
        parts,
        { userId, kind: 'password_reset', address, detail: { userAgent, locale } },
        parts.now(),
      );
      const otherwise = invited ? '/account?done=welcome' : '/account?done=reset';
      const returnTo = await restoreReturnTo(request, reply, parts, done.returnTo, otherwise);
      if (session instanceof HalfSignedIn) return secondFactorUrl(reply, parts, session, returnTo);
      rememberBrowser(reply, parts, session, 'password');
      return () => finishLogin(reply, session, returnTo);
    },
    page: ({ about: { token, ...account } }) => ({
      asks: true,
      title: ({ account: { credentials } }) => resetWords(credentials, account).title,
      token,
      main: (form) => resetView({ ...form, ...account, token }),
    }),
  });
}

export function invitationPage(app: FastifyInstance, parts: Parts): void {
  const { serviceName } = parts.config;

  app.formPage({
    ...passwordLink(parts, '/invitation', ['invitation']),
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
