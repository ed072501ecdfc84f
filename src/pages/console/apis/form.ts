// /console/apis/new and …/:api_id/edit: registers and edits APIs.
import type { FastifyInstance } from 'fastify';
import { registerOwnedApi } from '../../../apis/registration.ts';
import {
  type ApiSettingsError,
  isClientAccessLevel,
  validateApi,
  validateApiRegistration,
} from '../../../apis/settings-fields.ts';
import { updateApi } from '../../../apis/updates.ts';
import type { Services } from '../../../http/services.ts';
import type { Locale } from '../../../i18n/index.ts';
import { type AllowedClients, CLIENT_ACCESS_LEVELS } from '../../../oauth/api.ts';
import { canonicalizeApiIdentifier } from '../../../oauth/api-identifier.ts';
import { notFound } from '../../../oauth/errors.ts';
import { type Parameters, parseParameters } from '../../../oauth/parameters.ts';
import type { OwnedApi } from '../../../store/owned-apis.ts';
import { singleUseFormToken } from '../../../web/csrf.ts';
import type { ValidationError } from '../../../web/form-errors.ts';
import { submitButton } from '../../../web/html/buttons.ts';
import { choiceField, textField } from '../../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { reauthenticationFields } from '../../../web/html/reauthentication-fields.ts';
import { APIS_URL, apiUrl, consoleNavigation, listLink } from '../layout.ts';
import { API_SECTION, ownerOf, quotaError, requireOwnedApi } from '../sections.ts';
import { descriptionField, sortDescriptionErrors } from './description-field.ts';

type FormFields = {
  name: string;
  identifier: string;
  descriptionFr: string;
  descriptionEn: string;
  allowedClients: AllowedClients | undefined;
  /** In seconds. */
  lifetime: string;
};

export function apiFormPages(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.formPage({
    path: `${APIS_URL}/new`,
    loadSubject: () => undefined,
    requiresVerifiedEmail: true,
    initialFields: () => readFields(parseParameters('allowed_clients=own&token_lifetime=3600')),
    parse: readFields,
    validate: ({ fields }) =>
      toFormErrors(validateApiRegistration(parseFields(fields), config), fields.identifier),
    async act({ request, fields }) {
      const { allowedClients = 'own', ...values } = parseFields(fields);
      const [owner, form] = [ownerOf(request), singleUseFormToken(request, services, fields.identifier)];
      const limit = config.registrationsPerAccount;
      const api = { ...values, allowedClients };
      const registered = await registerOwnedApi(database, owner, api, form, limit, services.now());
      if (registered === 'tooMany') return quotaError(API_SECTION, config);
      if (registered === 'taken')
        return { errors: toFormErrors([{ field: 'identifier', code: 'identifierTaken' }]) };
      return `${apiUrl(registered.apiId)}?done=created`;
    },
    render: ({ fields }) => ({
      title: (messages) => messages.apis.list.register,
      main: (form, locale) => apiFormView({ ...form, locale, fields }),
    }),
  });

  area.formPage({
    path: `${APIS_URL}/:api_id/edit`,
    loadSubject: (request) => requireOwnedApi(request, services),
    initialFields: (api): FormFields => ({ ...api, lifetime: String(api.tokenLifetime) }),
    parse: readFields,
    validate: ({ fields }) => toFormErrors(validateApi(parseFields(fields))),
    requiresReauthentication: ({ subject, fields }) => widensAccess(fields, subject),
    inTransaction: true,
    async act({ request, subject, fields }, transaction) {
      const { allowedClients = subject.allowedClients, ...values } = parseFields(fields);
      const settings = { ...values, allowedClients };
      if (!(await updateApi(transaction, ownerOf(request), subject.apiId, settings, services.now())))
        throw notFound();
      const notice = widensAccess(fields, subject) ? ('api_changed' as const) : undefined;
      return { to: `${apiUrl(subject.apiId)}?done=changed`, notice, subject: subject.name };
    },
    render: ({ subject: api, fields }) => ({
      title: (messages) => messages.apis.edit.title(api.name),
      main: (form, locale) => apiFormView({ ...form, locale, api, fields }),
    }),
  });
}

/** `CLIENT_ACCESS_LEVELS` starts with the most restrictive setting. */
const widensAccess = (
  { allowedClients = 'own' }: Pick<FormFields, 'allowedClients'>,
  before: OwnedApi,
): boolean =>
  CLIENT_ACCESS_LEVELS.indexOf(allowedClients) > CLIENT_ACCESS_LEVELS.indexOf(before.allowedClients);

function readFields(form: Parameters): FormFields {
  const readText = (name: string) => form.get(name) ?? '';
  const allowedClients = readText('allowed_clients');
  return {
    name: readText('name'),
    identifier: readText('identifier').trim(),
    descriptionFr: readText('description_fr'),
    descriptionEn: readText('description_en'),
    allowedClients: isClientAccessLevel(allowedClients) ? allowedClients : undefined,
    lifetime: readText('token_lifetime').trim(),
  };
}

/** The lifetime is NaN if it isn't a whole number. */
const parseFields = ({ lifetime, ...fields }: FormFields) => ({
  ...fields,
  tokenLifetime: /^\d{1,6}$/.test(lifetime) ? Number(lifetime) : Number.NaN,
});

const toFormErrors = (errors: readonly ApiSettingsError[], identifier = ''): ValidationError[] =>
  errors.map(({ field, code }) => ({
    field,
    text: ({ apis }) =>
      code === 'identifierNotCanonical'
        ? `${apis.errors[code]} ${canonicalizeApiIdentifier(identifier)}`
        : apis.errors[code],
  }));

type ApiFormView = FormState & {
  locale: Locale;
  fields: FormFields;
  /** Undefined on the form that registers an API. */
  api?: OwnedApi;
};

function apiFormView({ api, fields, ...state }: ApiFormView): Html {
  const errors = sortDescriptionErrors(state.errors, state.locale);
  const view = { ...state, errors };
  const { messages } = view;
  const { list, edit, form: text, allowedClientsChoices } = messages.apis;
  const isNew = api === undefined;
  return html`${isNew ? listLink(messages, 'api') : consoleNavigation(messages, api, 'edit')}
${formStatus(view)}
<h1>${isNew ? list.register : edit.title(api.name)}</h1>
${
  !isNew &&
  html`<dl class="facts facts--framed">
<div><dt>${text.identifier}</dt><dd><code>${api.identifier}</code></dd></div>
</dl>
<p class="quiet">${edit.fixed}</p>`
}
${form({
  action: isNew ? `${APIS_URL}/new` : apiUrl(api.apiId, 'edit'),
  csrf: view.csrf,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint,
    value: fields.name,
    autofocus: isNew && errors.length === 0,
    errors,
  })}
${
  isNew &&
  textField({
    name: 'identifier',
    label: text.identifier,
    hint: text.identifierHint,
    type: 'url',
    inputmode: 'url',
    value: fields.identifier,
    errors,
  })
}
${descriptionField({ ...view, legend: text.description, hint: text.descriptionHint, texts: { fr: fields.descriptionFr, en: fields.descriptionEn } })}
${choiceField({
  name: 'allowed_clients',
  kind: 'radio',
  legend: text.allowedClients,
  choices: CLIENT_ACCESS_LEVELS.map((value) => ({
    value,
    ...allowedClientsChoices[value],
    checked: fields.allowedClients === value,
  })),
  errors,
})}
${textField({
  name: 'token_lifetime',
  label: text.lifetime,
  hint: text.lifetimeHint,
  value: fields.lifetime,
  inputmode: 'numeric',
  errors,
})}
${!isNew && reauthenticationFields(view, messages.apis.confirmHint)}
${submitButton({ text: isNew ? list.register : messages.applications.edit.action })}`,
})}`;
}
