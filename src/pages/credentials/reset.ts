// /password/reset: sets a password by a mailed link, one that verifies an address included; only the form uses the link up.
import type { FastifyInstance } from 'fastify';
import { resetPassword } from '../../credentials/password-change.ts';
import { noticeSecurityChange } from '../../credentials/security-notices.ts';
import { HalfSignedIn } from '../../credentials/sign-in.ts';
import type { Parts } from '../../http/parts.ts';
import { deadLink } from '../../web/asking.ts';
import { fromOf } from '../../web/browser.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { finishLogin, originOf, secondFactorUrl } from '../../web/login.ts';
import { restoreReturnTo } from '../../web/return-to.ts';
import { newPasswordOf, passwordLink } from './password-link.ts';
import { resetView, resetWords } from './password-view.ts';

const PATH = '/password/reset';

export function resetPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    ...passwordLink(parts, PATH, ['reset_password', 'verify_email']),
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
