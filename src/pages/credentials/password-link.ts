// Links that set a password: reset and invitation.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notify } from '../../accounts/notifications.ts';
import { type PasswordLink, resetPassword } from '../../credentials/password-change.ts';
import { HalfSignedIn } from '../../credentials/sign-in.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { tokenHash } from '../../mail/links.ts';
import { findToken } from '../../store/one-time-tokens.ts';
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
      await notify(parts, { kind: 'password_reset', account: userId, ...fromOf(request) }, parts.now());
      const otherwise = invited ? '/account?done=welcome' : '/account?done=reset';
      const returnTo = await restoreReturnTo(request, reply, parts, done.returnTo, otherwise);
      if (session instanceof HalfSignedIn) return secondFactorUrl(reply, parts, session, returnTo);
      rememberBrowser(reply, parts, session, 'password');
      return () => finishLogin(reply, session, returnTo);
    },
    page: ({ about: { token, ...account } }) => ({
      asks: true,
      title: ({ account: { credentials } }) => resetWords(credentials.reset, account).title,
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
      main: (form) => invitationView({ ...form, token, name, email }, serviceName),
    }),
  });
}

type ResetLink = Pick<LinkedAccount, 'kind' | 'email' | 'invited' | 'emailVerified'>;

function resetWords(
  text: Messages['account']['credentials']['reset'],
  { kind, email, invited, emailVerified }: ResetLink,
): { title: string; lead: string } {
  if (kind === 'verify_email') return { title: text.verifyTitle, lead: text.verifyText(email) };
  if (invited) return { title: text.firstTitle, lead: text.firstText(email) };
  return { title: text.title, lead: emailVerified ? text.text(email) : text.unverifiedText(email) };
}

function resetView(view: FormState & ResetLink & { token: string }): Html {
  const { messages, csrf, token, email, invited, kind } = view;
  const text = messages.account.credentials.reset;
  const { title, lead } = resetWords(text, view);
  return html`${formStatus(view)}
<h1>${title}</h1>
<p class="lead">${lead}</p>
${kind === 'verify_email' && html`<p>${text.verifyInstead} <a href="/signin?next=%2Faccount%2Fverify">${messages.signIn.action}</a></p>`}
${form({
  action: '/password/reset',
  csrf,
  body: html`${hiddenInput('token', token)}${usernameField(email, 'email')}${newPasswordField(view, invited ? messages.fields.password : undefined)}
${submitButton({ text: text.action })}`,
})}`;
}

function invitationView(
  view: FormState & Pick<LinkedAccount, 'token' | 'name' | 'email'>,
  serviceName: string,
): Html {
  const { messages, csrf, token, name, email } = view;
  const text = messages.account.credentials.invitation;
  return html`${formStatus(view)}
<h1>${text.title(serviceName)}</h1>
<p class="lead">${text.text(serviceName)}</p>
<dl class="facts facts--framed">
<div><dt>${messages.fields.name}</dt><dd><bdi>${name}</bdi></dd></div>
<div><dt>${messages.fields.email}</dt><dd class="host">${email}</dd></div>
</dl>
${form({
  action: '/invitation',
  csrf,
  body: html`${hiddenInput('token', token)}${usernameField(email, 'email')}${newPasswordField(view, messages.fields.password)}
${submitButton({ text: text.action })}`,
})}
<p class="aside">${text.changeLater}</p>`;
}
