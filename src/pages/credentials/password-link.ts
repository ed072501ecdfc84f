// /password/reset: the page of links that set a password, and of invitations.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type PasswordLink, resetPassword } from '../../credentials/password-change.ts';
import { HalfSignedIn } from '../../credentials/sign-in.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { readLink } from '../../mail/links.ts';
import { findToken, type MailedLink } from '../../store/one-time-tokens.ts';
import { fromOf } from '../../web/browser.ts';
import { deadLink, newPasswordFaults, newPasswordField } from '../../web/credential-forms.ts';
import {
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  usernameField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { finishLogin, originOf, secondFactorUrl } from '../../web/login.ts';
import { restoreReturnTo } from '../../web/return-to.ts';

interface LinkedAccount {
  token: string;
  link: MailedLink;
  name: string;
  email: string;
  /** Whether it has never had a password. */
  invited: boolean;
  kind: PasswordLink;
  /** Whether its email address is verified: if not, the link ends everything set up before. */
  emailVerified: boolean;
}

const PATH = '/password/reset';
const KINDS: readonly PasswordLink[] = ['reset_password', 'verify_email', 'invitation'];

const newPasswordOf = (request: FastifyRequest): string => formOf(request).get('new_password') ?? '';

export function passwordLinkPage(app: FastifyInstance, parts: Parts): void {
  const { serviceName } = parts.config;

  app.formPage({
    url: PATH,
    async about(request): Promise<LinkedAccount> {
      const token = parametersOf(request).get('token') ?? '';
      const link = readLink(token);
      const found = link && (await findToken(parts.database, link, KINDS, parts.now()));
      const kind = KINDS.find((one) => one === found?.kind);
      if (link === undefined || found === undefined || kind === undefined) throw deadLink();
      const { name, email, invited, currentVerified: emailVerified } = found;
      return { token, link, kind, name, email, invited, emailVerified };
    },
    read: () => ({}),
    faults: ({ request, about: { name, email } }) =>
      newPasswordFaults(parts, newPasswordOf(request), [name, email]),
    async act({ request, reply, about: { link, kind, invited } }) {
      const password = newPasswordOf(request);
      const origin = { ...originOf(request), ...fromOf(request) };
      const done = await resetPassword(parts, { kind, link }, password, origin, parts.now);
      if (done === undefined) throw deadLink();
      const { session } = done;
      const otherwise = invited ? '/account?done=welcome' : '/account?done=reset';
      const returnTo = await restoreReturnTo(request, reply, parts, done.returnTo, otherwise);
      if (session instanceof HalfSignedIn) return secondFactorUrl(reply, parts, session, returnTo);
      rememberBrowser(reply, parts, session, invited ? 'account' : 'password');
      return () => finishLogin(reply, session, returnTo);
    },
    address: ({ token }) => `${PATH}?token=${token}`,
    page: ({ about: account }) => ({
      asks: true,
      title: (messages) => wordsOf(messages, account, serviceName).title,
      token: account.token,
      main: (form) => passwordLinkView(form, account, wordsOf(form.messages, account, serviceName)),
    }),
  });
}

function wordsOf(
  { account: { credentials } }: Messages,
  { kind, email, invited, emailVerified }: LinkedAccount,
  serviceName: string,
): { title: string; lead: string; action: string } {
  const { reset, invitation } = credentials;
  const { title, action } = reset;
  if (kind === 'verify_email') return { title: reset.verifyTitle, lead: reset.verifyText(email), action };
  if (!invited)
    return { title, lead: emailVerified ? reset.text(email) : reset.unverifiedText(email), action };
  const { title: welcome, text } = invitation;
  return { title: welcome(serviceName), lead: text(serviceName), action: invitation.action };
}

function passwordLinkView(
  view: FormState,
  { token, name, email, invited, kind }: LinkedAccount,
  { title, lead, action }: ReturnType<typeof wordsOf>,
): Html {
  const { messages, csrf } = view;
  const text = messages.account.credentials.reset;
  return html`${formStatus(view)}
<h1>${title}</h1>
<p class="lead">${lead}</p>
${kind === 'verify_email' && html`<p>${text.verifyInstead} <a href="/signin?next=%2Faccount%2Fverify">${messages.signIn.action}</a></p>`}
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
${submitButton({ text: action })}`,
})}`;
}
