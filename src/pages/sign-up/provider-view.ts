// Views of the pages that create an account for an identity.
import type { Messages } from '../../i18n/index.ts';
import {
  type ExternalProfile,
  getIdentityLabel,
  type IdentityProvider,
} from '../../oauth/identity-provider.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { choiceField, emailField, hiddenInput, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { identityCard, orDivider } from '../../web/html/identity-providers.ts';
import { cancelForm, destination } from '../../web/html/login-elements.ts';
import { CONFIRM_PATH } from './identity-sign-up-link.ts';

export function providerSignUpView(
  view: FormState & {
    sealed: string;
    profile: ExternalProfile;
    provider: IdentityProvider;
    isOpen: boolean;
    application: { name: string; host: string } | undefined;
    existingHref: string;
    name: string;
    email: string;
    usesPicture: boolean;
  },
): Html {
  const { messages, provider, profile, application, isOpen } = view;
  const { signUp: text } = messages.linkedAccounts;
  return html`${formStatus(view)}
<h1>${text.title(provider.name)}</h1>
${application && destination(messages.signIn.continueTo, application)}
<p class="lead">${isOpen ? text.lead(provider.name) : text.closed(provider.name)}</p>
${identityCard(messages, provider.name, getIdentityLabel(profile))}
${isOpen && createAccountForm(view)}
${isOpen && orDivider(messages)}
<p class="actions">${buttonLink({ text: text.existing, href: view.existingHref, kind: isOpen ? 'secondary' : 'primary' })}</p>
${isOpen && html`<p class="aside">${text.existingText(provider.name)}</p>`}
${cancelForm(view, application)}`;
}

function createAccountForm(view: Parameters<typeof providerSignUpView>[0]): Html {
  const { messages, csrf, errors, provider, profile } = view;
  const { fields, linkedAccounts } = messages;
  const { signUp: text } = linkedAccounts;
  return form({
    action: '/signup/provider',
    csrf,
    body: html`${hiddenInput('identity', view.sealed)}${textField({
      name: 'name',
      label: fields.name,
      hint: fields.nameHint,
      value: view.name,
      autocomplete: 'name',
      errors,
    })}
${emailField({ label: fields.email, value: view.email, autocomplete: 'email', errors })}
${
  profile.picture !== undefined &&
  choiceField({
    name: 'picture',
    kind: 'checkbox',
    legend: text.picture,
    choices: [
      {
        value: 'yes',
        label: text.usePicture(provider.name),
        hint: text.usePictureHint,
        checked: view.usesPicture,
      },
    ],
  })
}
${submitButton({ text: text.action })}`,
  });
}

export function emailSentView(
  { linkedAccounts: { signUp: text }, account }: Messages,
  email: string,
  againHref: string,
): Html {
  return html`<h1>${text.sentTitle}</h1>
<p class="lead">${text.sent(email)}</p>
<p class="aside">${account.credentials.nothingReceived}</p>
<p class="actions">${buttonLink({ href: againHref, text: account.credentials.forgot.again, kind: 'secondary' })}</p>`;
}

export function confirmIdentityView(
  view: FormState & {
    token: string;
    profile: Pick<ExternalProfile, 'email' | 'name' | 'subject'>;
    provider: IdentityProvider;
    name: string;
    email: string;
  },
): Html {
  const { messages, csrf, provider, profile } = view;
  const { fields, linkedAccounts } = messages;
  const { signUp: text } = linkedAccounts;
  return html`${formStatus(view)}
<h1>${text.confirmTitle}</h1>
<p class="lead">${text.confirmText(provider.name)}</p>
<dl class="facts facts--framed">
<div><dt>${fields.name}</dt><dd><bdi>${view.name}</bdi></dd></div>
<div><dt>${fields.email}</dt><dd class="host">${view.email}</dd></div>
<div><dt>${text.as(provider.name)}</dt><dd><bdi>${getIdentityLabel(profile)}</bdi></dd></div>
</dl>
${form({
  action: CONFIRM_PATH,
  csrf,
  body: html`${hiddenInput('token', view.token)}${submitButton({ text: text.action })}`,
})}`;
}

export const otherBrowserView = (
  { linkedAccounts: { signUp: text }, errorPages }: Messages,
  restartUrl: string,
): Html =>
  html`<div class="door-closed">
<h1>${text.otherBrowserTitle}</h1>
<p class="lead">${text.otherBrowserText}</p>
<p class="actions">${buttonLink({ href: restartUrl, text: errorPages.startAgain, kind: 'secondary' })}</p>
</div>`;
