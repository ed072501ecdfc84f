// /signup/provider: creates an account for an identity that isn't linked yet.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { mayRequestEmail, maySignUp } from '../../accounts/rate-limits.ts';
import { hasVerifiedEmail } from '../../credentials/identity-sign-up.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { localeOf } from '../../web/browser.ts';
import { invalidLinkError, validateEmail, validateName } from '../../web/credential-forms.ts';
import { LINK_IDENTITY_PATH, loadIdentity, type OpenedIdentity } from '../../web/external-identity.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { signInContext } from '../../web/login.ts';
import { destinationClient, loginUrl, returnFields } from '../../web/return-to.ts';
import { openSentEmail, sealSentEmail } from '../../web/sent-email.ts';
import { createIdentityAccount } from './identity-account.ts';
import { sealSignUp } from './identity-sign-up-link.ts';
import { emailSentView, providerSignUpView } from './provider-view.ts';
import { signUpClosedError, signUpRestartUrl } from './sign-up.ts';

const PATH = '/signup/provider';
const SENT_URL = `${PATH}/sent`;

export function providerSignUpPage(app: FastifyInstance, services: Services): void {
  const { config, mailer } = services;
  const isOpen = config.signUp === 'open';

  app.formPage({
    path: PATH,
    loadSubject: (request, reply) => loadIdentity(request, reply, services),
    initialFields: ({ profile: { name, email } }) => ({
      name: cleanName(name ?? ''),
      email: normalizeEmail(email),
      usesPicture: false,
    }),
    parse: (form) => ({
      name: cleanName(form.get('name') ?? ''),
      email: normalizeEmail(form.get('email')),
      usesPicture: form.get('picture') === 'yes',
    }),
    validate({ subject: { returnTo }, fields: { name, email } }) {
      if (!isOpen) throw signUpClosedError(returnTo);
      return [...validateName(name), ...validateEmail(email)];
    },
    async act({ request, reply, subject: identity, fields }) {
      const { profile, provider, returnTo } = identity;
      const { ip } = signInContext(request);
      if (!(await maySignUp(services, ip, services.now())))
        return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManySignUps }] };
      const verified = hasVerifiedEmail(provider, profile, fields.email);
      const signUp = {
        profile: { ...profile, picture: fields.usesPicture ? profile.picture : undefined },
        name: fields.name,
        email: fields.email,
        locale: localeOf(request, returnTo.page?.pending.request.uiLocales),
      };
      if (verified || !mailer.available) {
        const outcome = await createIdentityAccount(request, reply, services, {
          ...signUp,
          verified,
          returnTo,
        });
        if (typeof outcome === 'function') return outcome;
        // The account may have been created in another tab.
        if (outcome === 'identityRefused') return loginUrl('/signin', returnTo);
        // Without a mail server, only the page can say that the email address is taken.
        if (!mailer.available) return emailTakenRejection(identity);
      }
      // The response doesn't reveal whether the email address is taken. The email does
      // (`composeIdentitySignUpEmail`).
      return sendConfirmation(request, reply, identity, signUp);
    },
    pageUrl: ({ sealed }) => pageUrl(sealed),
    render: ({ subject: { sealed, profile, provider, returnTo }, fields }) => ({
      returnTo,
      title: ({ linkedAccounts }) => linkedAccounts.signUp.title(provider.name),
      main: (form) =>
        providerSignUpView({
          ...form,
          ...fields,
          sealed,
          profile,
          provider,
          isOpen,
          application: destinationClient(returnTo),
          existingHref: linkAfterSignInUrl(sealed),
        }),
    }),
  });

  async function sendConfirmation(
    request: FastifyRequest,
    reply: FastifyReply,
    { sealed, returnTo }: OpenedIdentity,
    signUp: Parameters<typeof sealSignUp>[2],
  ): Promise<string | Rejection> {
    const { email, locale } = signUp;
    if (!(await mayRequestEmail(services, signInContext(request).ip, services.now())))
      return { status: 429, errors: [{ text: ({ account }) => account.credentials.tooManyEmails }] };
    const link = sealSignUp(reply, services, signUp, returnFields(returnTo));
    await mailer.send({ kind: 'deferred', template: 'identity_sign_up', email, locale, link });
    return `${SENT_URL}?token=${sealSentEmail(reply, services, email)}&identity=${sealed}`;
  }

  app.get(SENT_URL, async (request, reply) => {
    const sent = openSentEmail(request, services);
    if (sent === undefined) throw invalidLinkError(signUpRestartUrl(config));
    const identity = readQuery(request).get('identity') ?? '';
    return reply.page({
      title: ({ linkedAccounts }) => linkedAccounts.signUp.sentTitle,
      main: (messages) => emailSentView(messages, sent.email, pageUrl(identity)),
    });
  });
}

const pageUrl = (sealed: string): string => `${PATH}?identity=${encodeURIComponent(sealed)}`;

const linkAfterSignInUrl = (sealed: string): string =>
  `/signin?next=${encodeURIComponent(`${LINK_IDENTITY_PATH}?identity=${sealed}`)}`;

const emailTakenRejection = ({ sealed }: OpenedIdentity): Rejection => ({
  errors: [
    {
      field: 'email',
      text: ({ linkedAccounts }) => linkedAccounts.signUp.notCreated,
      link: { href: linkAfterSignInUrl(sealed), text: ({ signIn }) => signIn.action },
    },
  ],
});
