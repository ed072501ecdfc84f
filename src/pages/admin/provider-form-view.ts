// Views of the forms that add and edit identity providers.
import type { Messages } from '../../i18n/index.ts';
import {
  type IdentityProvider,
  PROVIDER_PRESETS,
  type ProviderPreset,
} from '../../oauth/identity-provider.ts';
import {
  PROVIDER_SETTINGS,
  type ProviderFields,
  type ProviderSetting,
  SETTINGS_BY_PRESET,
  TOKEN_AUTH_METHODS,
} from '../../providers/settings-fields.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { copyableRow } from '../../web/html/code.ts';
import { choiceField, hiddenInput, selectField, textArea, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { providerRedirectUri } from '../../web/provider-state.ts';
import { adminNavigation, PROVIDERS_URL, providerUrl } from './layout.ts';
import type { ProviderDetail } from './provider-detail.ts';
import { providerStateTag } from './providers-view.ts';

/** Where administrators register Sésame as a client. */
const PROVIDER_CONSOLE_URLS: Partial<Record<ProviderPreset, string>> = {
  google: 'https://console.cloud.google.com/auth/clients',
  microsoft: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
  apple: 'https://developer.apple.com/account/resources/identifiers/list/serviceId',
  gitlab: 'https://gitlab.com/-/user_settings/applications',
  proconnect: 'https://partenaires.proconnect.gouv.fr/apps',
  github: 'https://github.com/settings/developers',
};

export function choosePresetView(
  messages: Messages,
  findExisting: (preset: ProviderPreset) => IdentityProvider | undefined,
): Html {
  const text = messages.identityProviders;
  const presetItem = (preset: ProviderPreset, href: string, hint: string) =>
    html`<li class="preset"><a class="preset-link" href="${href}">${text.presets[preset]}</a> <span class="quiet">${hint}</span></li>
`;
  return html`${adminNavigation(messages, 'providers', { within: true })}
<h1>${text.add}</h1>
<p class="lead">${text.choose}</p>
<ul class="presets">
${PROVIDER_PRESETS.map((preset) => {
  const existing = findExisting(preset);
  return existing === undefined
    ? presetItem(preset, `${PROVIDERS_URL}/new/${preset}`, text.presetHints[preset])
    : presetItem(preset, providerUrl(existing.providerId), text.alreadyAdded);
})}</ul>`;
}

type FormView = FormState & {
  preset: ProviderPreset;
  fields: ProviderFields;
  baseUrl: string;
  /** Undefined on the form that adds a provider. */
  provider?: ProviderDetail;
  version?: string;
};

export function providerFormView(view: FormView): Html {
  const { messages, preset, fields, provider, errors } = view;
  const { identityProviders: text, operations } = messages;
  const console = PROVIDER_CONSOLE_URLS[preset];
  const redirectUri = provider?.redirectUri ?? providerRedirectUri(view.baseUrl, fields.providerId);
  const callbackUrl = copyableRow({
    label: text.redirectUri,
    id: 'redirect-uri',
    text: redirectUri,
    labels: messages.integrate,
  });
  const settings = PROVIDER_SETTINGS.filter(
    (setting) => SETTINGS_BY_PRESET[preset].includes(setting) && !(provider && setting === 'issuer'),
  );
  return html`${adminNavigation(messages, 'providers', { within: true })}
${formStatus(view)}
<h1>${provider ? text.editTitle(provider.name) : text.addTitle(preset, text.presets[preset])}</h1>
${
  provider &&
  html`<dl class="facts facts--framed facts--roomy">
<div><dt>${text.state}</dt><dd class="tags">${providerStateTag(provider, messages)}</dd></div>
${callbackUrl}</dl>`
}
${form({
  action: provider ? providerUrl(provider.providerId, 'edit') : `${PROVIDERS_URL}/new/${preset}`,
  csrf: view.csrf,
  body: html`${view.version !== undefined && hiddenInput('version', view.version)}${textField({ name: 'name', label: text.fields.name, hint: text.fields.nameHint, value: fields.name, autocomplete: 'off', errors })}
${
  !provider &&
  html`${textField({ name: 'provider_id', label: text.fields.id, hint: text.fields.idHint, value: fields.providerId, autocomplete: 'off', errors })}
<p>${text.setup[preset]}${console && html` <a href="${console}" rel="noopener noreferrer">${text.openConsole(text.presets[preset])}</a>`}</p>
<dl class="facts facts--framed facts--roomy">
${callbackUrl}</dl>`
}
${settings.map(
  (setting) => html`${settingField(setting, view)}
`,
)}${reauthenticationFields(view)}
<p class="actions">
${submitButton({ text: provider ? text.save : text.submit })}
${buttonLink({ text: operations.cancel, href: provider ? providerUrl(provider.providerId) : PROVIDERS_URL, kind: 'secondary' })}
</p>`,
})}`;
}

function settingField(setting: ProviderSetting, view: FormView): Html {
  const { messages, preset, fields, errors } = view;
  const { fields: text } = messages.identityProviders;
  const common = { name: setting, autocomplete: 'off', errors };
  const listFieldOptions = (entries: readonly string[]) => ({
    ...{ name: setting, errors, value: entries.join('\n'), rows: Math.min(10, Math.max(2, entries.length)) },
    optional: messages.fields.optional,
  });
  switch (setting) {
    case 'issuer':
      return textField({
        ...common,
        type: 'url',
        inputmode: 'url',
        label: text.issuer,
        hint: text.issuerHint,
        value: fields.issuer,
      });
    case 'client_id':
      return textField({
        ...common,
        label: text.clientId,
        hint: text.clientIdHints[preset],
        value: fields.clientId,
      });
    case 'secret':
      return secretField(view);
    case 'personal_accounts':
      return choiceField({
        name: setting,
        kind: 'checkbox',
        legend: text.personalAccounts,
        choices: [
          {
            value: 'yes',
            label: text.personalAccountsChoice,
            hint: text.personalAccountsHint,
            checked: fields.personalAccounts,
          },
        ],
      });
    case 'token_auth':
      return selectField({
        name: setting,
        label: text.tokenAuth,
        options: [
          { value: '', label: text.tokenAuthAutomatic },
          ...TOKEN_AUTH_METHODS.map((method) => ({ value: method, label: method })),
        ],
        value: fields.tokenAuth,
      });
    case 'team_id':
      return textField({ ...common, label: text.teamId, hint: text.teamIdHint, value: fields.teamId });
    case 'key_id':
      return textField({ ...common, label: text.keyId, hint: text.keyIdHint, value: fields.keyId });
    case 'tenants':
      return textArea({ ...listFieldOptions(fields.tenants), label: text.tenants, hint: text.tenantsHint });
    case 'email_domains':
      return textArea({
        ...listFieldOptions(fields.emailDomains),
        label: text.emailDomains,
        hint: text.emailDomainsHint,
      });
    case 'mfa_acrs':
      return textArea({ ...listFieldOptions(fields.mfaAcrs), label: text.mfaAcrs, hint: text.mfaAcrsHint });
  }
}

/** Not a password field because browsers would offer to save the secret. */
function secretField({ messages, preset, provider, errors }: FormView): Html {
  const { fields: text } = messages.identityProviders;
  const isApple = preset === 'apple';
  const newHint = preset === 'microsoft' ? `${text.microsoftSecretHint} ${text.secretHint}` : text.secretHint;
  const field = {
    name: 'secret',
    label: isApple ? text.appleKey : text.secret,
    hint: provider
      ? isApple
        ? text.appleKeyReplaceHint
        : text.secretReplaceHint
      : isApple
        ? text.appleKeyHint
        : newHint,
    optional: provider ? messages.fields.optional : false,
    errors,
  };
  return isApple ? textArea({ ...field, rows: 6 }) : textField({ ...field, autocomplete: 'off' });
}
