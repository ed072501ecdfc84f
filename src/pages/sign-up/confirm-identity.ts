// /signup/provider/confirm: creates an account for an identity through an emailed link.
import type { FastifyInstance } from 'fastify';
import { maySignUp } from '../../accounts/rate-limits.ts';
import { requestPasswordReset } from '../../credentials/password-change.ts';
import { PageError } from '../../http/page-error.ts';
import { readQueryOrForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { invalidLinkError } from '../../web/credential-forms.ts';
import { findEnabledProvider } from '../../web/identity-providers.ts';
import { signInContext } from '../../web/login.ts';
import { loginUrl, restoreReturnTo, returnFields } from '../../web/return-to.ts';
import { sealSentEmail } from '../../web/sent-email.ts';
import { createIdentityAccount } from './identity-account.ts';
import { CONFIRM_PATH, openSignUp } from './identity-sign-up-link.ts';
import { confirmIdentityView, otherBrowserView } from './provider-view.ts';
import { signUpRestartUrl } from './sign-up.ts';

export function confirmIdentityPage(app: FastifyInstance, services: Services): void {
  const restartUrl = signUpRestartUrl(services.config);
  const linkExpiredError = () =>
    services.config.signUp === 'open' ? signUpLinkExpiredError(restartUrl) : invalidLinkError(restartUrl);
  app.formPage({
    path: CONFIRM_PATH,
    async loadSubject(request, reply) {
      const token = readQueryOrForm(request).get('token');
      const signUp = openSignUp(request, services, token);
      if (token === undefined || signUp === undefined) throw linkExpiredError();
      if (signUp === 'otherBrowser') return { token };
      const provider = await findEnabledProvider(services, signUp.profile.providerId);
      if (provider === undefined || services.config.signUp === 'closed') throw invalidLinkError(restartUrl);
      // A newer provider with another issuer may have the same id.
      if (signUp.at < provider.createdAt.getTime()) throw linkExpiredError();
      const returnTo = await restoreReturnTo(request, reply, services, signUp.returnTo, '/account');
      return { token, signUp: { ...signUp, returnTo, provider } };
    },
    respondInstead: ({ token, signUp }, _request, reply) =>
      signUp === undefined
        ? () =>
            reply.page({
              token,
              title: ({ linkedAccounts }) => linkedAccounts.signUp.otherBrowserTitle,
              main: (messages) => otherBrowserView(messages, restartUrl),
            })
        : undefined,
    parse: () => ({}),
    async act({ request, reply, subject: { signUp } }) {
      if (signUp === undefined) throw invalidLinkError(restartUrl);
      const { email, locale, returnTo } = signUp;
      if (!(await maySignUp(services, signInContext(request).ip, services.now())))
        return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManySignUps }] };
      const outcome = await createIdentityAccount(request, reply, services, { ...signUp, verified: true });
      if (typeof outcome === 'function') return outcome;
      // The same link may have been used in another tab.
      if (outcome === 'identityRefused') return loginUrl('/signin', returnTo);
      if (outcome === 'unverified') {
        await requestPasswordReset(services, { email, locale, returnTo: returnFields(returnTo) });
        const token = sealSentEmail(reply, services, email);
        return loginUrl('/password/forgot', returnTo, { done: 'unverified', token });
      }
      // The link proves that the user owns the mailbox. The page may therefore say that the email address is
      // taken.
      return {
        status: 409,
        errors: [
          {
            text: ({ formErrors }) => formErrors.emailTaken,
            link: { href: loginUrl('/signin', returnTo), text: ({ signIn }) => signIn.action },
          },
        ],
      };
    },
    pageUrl: ({ token }) => `${CONFIRM_PATH}?token=${token}`,
    render: ({ subject: { token, signUp } }) => {
      if (signUp === undefined) throw invalidLinkError(restartUrl);
      return {
        token,
        returnTo: signUp.returnTo,
        title: ({ linkedAccounts }) => linkedAccounts.signUp.confirmTitle,
        main: (form) => confirmIdentityView({ ...form, ...signUp, token }),
      };
    },
  });
}

const signUpLinkExpiredError = (restartUrl: string): PageError =>
  new PageError(
    'signUpLinkOver',
    invalidRequest('The sign-up link has expired or is malformed.', { kind: 'page_form_invalid' }),
    { restartUrl },
  );
