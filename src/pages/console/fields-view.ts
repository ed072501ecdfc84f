// Owns the look of an application's fields, the same where it is registered and where it is changed.

import type { Messages } from '../../i18n/index.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import { SCOPES } from '../../oauth/scopes.ts';
import { choiceField, type FormError, textArea, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

/** The fields as they were typed, or as they stand. */
export type ApplicationForm = {
  name: string;
  /** One a line. */
  redirectUris: string;
  scopes: string[];
  type: ClientType | undefined;
  standard: boolean;
};

/** And where people may return to after sign-out, one a line: what a new application is asked besides. */
export type RegistrationForm = ApplicationForm & { postLogoutRedirectUris: string };

type Fields = { messages: Messages; fields: ApplicationForm; errors: readonly FormError[] };

/** Whether the service is in production, where plain http:// is refused (D3). */
type Where = { production: boolean };

export function nameField({ messages, fields, errors }: Fields, autofocus = false): Html {
  const text = messages.applications.form;
  const { name } = fields;
  return textField({ name: 'name', label: text.name, hint: text.nameHint, value: name, autofocus, errors });
}

/** @param type the type that is fixed already; undefined while it can be chosen, and every hint counts */
export function callbacksField(view: Fields & Where, type?: ClientType): Html {
  const { messages, fields, errors, production } = view;
  const text = messages.applications.form;
  const more = [
    text.redirectUrisCompared,
    production ? text.redirectUrisTls : text.redirectUrisHere,
    ...(type === 'confidential' ? [] : [production ? text.redirectUrisNative : text.redirectUrisNativeHere]),
  ];
  return textArea({
    name: 'redirect_uris',
    label: text.redirectUris,
    hint: text.redirectUrisHint,
    more: {
      title: text.redirectUrisMore,
      text: html`${more.map((line) => html`<p>${line}</p>`)}`,
      open: errors.some(({ field }) => field === 'redirect_uris'),
    },
    value: fields.redirectUris,
    inputmode: 'url',
    rows: Math.min(20, Math.max(3, fields.redirectUris.split('\n').length + 1)),
    errors,
  });
}

export function logoutAddressesField({
  messages,
  fields,
  errors,
}: Omit<Fields, 'fields'> & { fields: RegistrationForm }): Html {
  return textArea({
    name: 'post_logout_redirect_uris',
    label: messages.protocol.postLogout,
    hint: messages.applications.form.logoutAddressesHint,
    value: fields.postLogoutRedirectUris,
    inputmode: 'url',
    rows: 2,
    optional: messages.fields.optional,
    errors,
  });
}

export function scopesField({ messages, fields, errors }: Fields): Html {
  const text = messages.applications.form;
  return choiceField({
    name: 'scopes',
    kind: 'checkbox',
    legend: text.scopes,
    hint: text.scopesHint,
    choices: SCOPES.map((scope) => ({
      value: scope,
      label: scope,
      hint: text.scopeHints[scope],
      checked: fields.scopes.includes(scope),
    })),
    errors,
  });
}

export function typeField({ messages, fields, errors }: Fields): Html {
  const { form: text, types } = messages.applications;
  return choiceField({
    name: 'type',
    kind: 'radio',
    legend: text.typeLegend,
    hint: text.typeHint,
    choices: (['confidential', 'public'] as const).map((type) => ({
      value: type,
      label: types[type],
      hint: text.typeHints[type],
      checked: fields.type === type,
    })),
    errors,
  });
}

/** Standard OpenID Connect mode, asked as what people know: the library that they use (D19). */
export function standardField({ messages, fields }: Fields): Html {
  const text = messages.applications.form;
  return choiceField({
    name: 'standard',
    kind: 'radio',
    legend: text.standardLegend,
    hint: text.standardHint,
    choices: (['off', 'on'] as const).map((value) => ({
      value,
      ...text.standardChoices[value],
      checked: fields.standard === (value === 'on'),
    })),
  });
}

/** Links that are shown where agreement is asked, each optional. */
export function linkFields(
  messages: Messages,
  links: { homePage: string; privacyPolicy: string; termsOfService: string },
  errors: readonly FormError[],
): Html {
  const text = messages.applications.form;
  const link = (name: string, label: string, value: string) =>
    textField({
      name,
      label,
      value,
      type: 'url',
      inputmode: 'url',
      hint: text.linkHint,
      optional: messages.fields.optional,
      errors,
    });
  return html`<h2>${text.presentation}</h2>
${link('home_page', text.homePage, links.homePage)}
${link('privacy_policy', text.privacyPolicy, links.privacyPolicy)}
${link('terms_of_service', text.termsOfService, links.termsOfService)}`;
}
