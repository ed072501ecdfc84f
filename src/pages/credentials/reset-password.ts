// /password/reset: sets a password through an emailed reset or invitation link.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type PasswordLinkKind, resetPassword } from '../../credentials/password-change.ts';
import { PendingMfaSignIn } from '../../credentials/sign-in.ts';
import { readForm, readQueryOrForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { parseLinkToken } from '../../mail/links.ts';
import { type EmailedLink, findToken } from '../../store/one-time-tokens.ts';
import { requestContext } from '../../web/browser.ts';
import { invalidLinkError, newPasswordField, validateNewPassword } from '../../web/credential-forms.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { hiddenInput, usernameField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { addKnownBrowser } from '../../web/known-browsers.ts';
import { finishLogin, secondFactorUrl, signInContext } from '../../web/login.ts';
import { restoreReturnTo } from '../../web/return-to.ts';

interface LinkRecipient {
  token: string;
  link: EmailedLink;
  name: string;
  email: string;
  invited: boolean;
  kind: PasswordLinkKind;
  /** If false, resetting the password removes all existing credentials. */
  emailVerified: boolean;
}

const PATH = '/password/reset';
const LINK_KINDS: readonly PasswordLinkKind[] = ['reset_password', 'verify_email', 'invitation'];

const newPasswordOf = (request: FastifyRequest): string => readForm(request).get('new_password') ?? '';

export function resetPasswordPage(app: FastifyInstance, services: Services): void {
  const { serviceName } = services.config;

  app.formPage({
    path: PATH,
    async loadSubject(request): Promise<LinkRecipient> {
      const token = readQueryOrForm(request).get('token') ?? '';
      const link = parseLinkToken(token);
      const tokenDetail = link && (await findToken(services.database, link, LINK_KINDS, services.now()));
      const kind = LINK_KINDS.find((one) => one === tokenDetail?.kind);
      if (link === undefined || tokenDetail === undefined || kind === undefined)
        throw invalidLinkError('/password/forgot');
      const { name, email, invited, currentVerified: emailVerified } = tokenDetail;
      return { token, link, kind, name, email, invited, emailVerified };
    },
    parse: () => ({}),
    validate: ({ request, subject: { name, email } }) =>
      validateNewPassword(services, newPasswordOf(request), [name, email]),
    async act({ request, reply, subject: { link, kind, invited } }) {
      const password = newPasswordOf(request);
      const context = { ...signInContext(request), ...requestContext(request) };
      const result = await resetPassword(services, { kind, link }, password, context, services.now);
      if (result === undefined) throw invalidLinkError('/password/forgot');
      const { session } = result;
      const defaultUrl = invited ? '/account?done=welcome' : '/account?done=reset';
      const returnTo = await restoreReturnTo(request, reply, services, result.returnTo, defaultUrl);
      if (session instanceof PendingMfaSignIn) return secondFactorUrl(reply, services, session, returnTo);
      addKnownBrowser(reply, services, session, invited ? 'account' : 'password');
      return () => finishLogin(reply, session, returnTo);
    },
    pageUrl: ({ token }) => `${PATH}?token=${token}`,
    render: ({ subject: account }) => ({
      usesFetch: true,
      title: (messages) => pageTexts(messages, account, serviceName).title,
      token: account.token,
      main: (form) => passwordLinkView(form, account, pageTexts(form.messages, account, serviceName)),
    }),
  });
}

function pageTexts(
  { account: { credentials } }: Messages,
  { kind, email, invited, emailVerified }: LinkRecipient,
  serviceName: string,
): { title: string; lead: string; action: string; removesAll?: true } {
  const { reset, invitation } = credentials;
  const { title, action } = reset;
  if (kind === 'verify_email') {
    const { verifyTitle, verifyText, takeOverAction } = reset;
    return { title: verifyTitle, lead: verifyText(email), action: takeOverAction, removesAll: true };
  }
  if (!invited && emailVerified) return { title, lead: reset.text(email), action };
  if (!invited) return { title, lead: reset.unverifiedText(email), action, removesAll: true };
  const { title: welcome, text } = invitation;
  return { title: welcome(serviceName), lead: text(serviceName), action: invitation.action };
}

function passwordLinkView(
  view: FormState,
  { token, name, email, invited, kind }: LinkRecipient,
  { title, lead, action, removesAll }: ReturnType<typeof pageTexts>,
): Html {
  const { messages, csrf } = view;
  const text = messages.account.credentials.reset;
  // Users who created the account in another browser should sign in, which removes no credentials.
  const mayKnowPassword = kind === 'verify_email';
  return html`${formStatus(view)}
<h1>${title}</h1>
<p class="lead">${lead}</p>
${
  mayKnowPassword &&
  html`<p class="actions">${buttonLink({ href: '/signin?next=%2Faccount%2Fverify', text: messages.signIn.action })}</p>
<h2>${text.takeOver}</h2>
<p>${text.takeOverText}</p>`
}
${
  removesAll &&
  html`<p>${text.removes}</p>
<ul>
${text.removed.map(
  (item) => html`<li>${item}</li>
`,
)}</ul>`
}
${
  invited &&
  html`<dl class="facts facts--framed">
<div><dt>${messages.fields.name}</dt><dd><bdi>${name}</bdi></dd></div>
<div><dt>${messages.fields.email}</dt><dd class="host">${email}</dd></div>
</dl>`
}
${form({
  action: PATH,
  csrf,
  body: html`${hiddenInput('token', token)}${usernameField(email, 'email')}${newPasswordField(view, invited ? messages.fields.password : undefined)}
${submitButton({ text: action, kind: mayKnowPassword ? 'danger' : 'primary' })}`,
})}`;
}
