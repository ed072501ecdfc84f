// …/applications/:client_id/edit: an application's general settings.
import type { FastifyInstance } from 'fastify';
import { isMachineClient } from '../../clients/kind.ts';
import { validateClient, validateLinks } from '../../clients/settings-fields.ts';
import { updateClient } from '../../clients/updates.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { SCOPES } from '../../oauth/scopes.ts';
import type { ClientSettings, OwnedClient } from '../../store/owned-clients.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { choiceField, textArea, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice } from '../../web/html/notices.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { APPLICATIONS_URL, applicationUrl, clientTypeLabel, consoleNavigation } from './layout.ts';
import { ownerOf, requireOwnedClient } from './sections.ts';
import { splitLines, toSettingsError } from './settings-errors.ts';

/** `redirectUris` has one URI per line. */
type FormFields = {
  name: string;
  redirectUris: string;
  scopes: string[];
  standard: boolean;
  refreshGrace: string;
  homePage: string;
  privacyPolicy: string;
  termsOfService: string;
};

export function generalSettingsPage(area: FastifyInstance, services: Services): void {
  area.formPage({
    path: `${APPLICATIONS_URL}/:client_id/edit`,
    loadSubject: (request) => requireOwnedClient(request, services),
    initialFields: toFormFields,
    parse: (form, application) =>
      isMachineClient(application) ? readMachineFields(form, application) : readFields(form),
    validate: ({ subject, fields }) => validateFields(fields, subject, services.config.production),
    // An attacker who could change the redirect URIs would receive authorization codes.
    requiresReauthentication: ({ subject, fields }) => redirectUrisChanged(subject, fields),
    inTransaction: true,
    async act({ request, subject, fields }, transaction) {
      const { clientId, name } = subject;
      if (!(await updateClient(transaction, ownerOf(request), clientId, parseFields(fields), services.now())))
        throw notFound();
      const notice = redirectUrisChanged(subject, fields) ? ('application_changed' as const) : undefined;
      return { to: `${applicationUrl(clientId)}?done=changed`, notice, subject: name };
    },
    render: ({ subject: application, fields }) => ({
      title: (messages) => messages.applications.edit.title(application.name),
      main: (form) => settingsView({ ...form, application, fields }),
    }),
  });
}

function readFields(form: Parameters): FormFields {
  const readText = (name: string) => form.get(name) ?? '';
  return {
    name: readText('name'),
    redirectUris: readText('redirect_uris'),
    scopes: form.getAll('scopes').flatMap((scopes) => scopes.split(/\s+/)),
    standard: readText('standard') === 'on',
    refreshGrace: readText('refresh_grace'),
    homePage: readText('home_page').trim(),
    privacyPolicy: readText('privacy_policy').trim(),
    termsOfService: readText('terms_of_service').trim(),
  };
}

/** The form has only a name field. Redirect URIs are kept so that validation can reject them. */
const readMachineFields = (form: Parameters, application: OwnedClient): FormFields => ({
  ...toFormFields(application),
  name: form.get('name') ?? '',
  redirectUris: form.get('redirect_uris') ?? '',
});

const toFormFields = (application: OwnedClient): FormFields => ({
  ...application,
  redirectUris: application.redirectUris.join('\n'),
  refreshGrace: String(application.refreshGrace),
  homePage: application.homePage ?? '',
  privacyPolicy: application.privacyPolicy ?? '',
  termsOfService: application.termsOfService ?? '',
});

/** The grace period is NaN if it isn't a whole number. */
const parseFields = (fields: FormFields): ClientSettings => ({
  ...fields,
  redirectUris: splitLines(fields.redirectUris),
  refreshGrace: /^\d{1,4}$/.test(fields.refreshGrace.trim()) ? Number(fields.refreshGrace) : Number.NaN,
  homePage: fields.homePage || null,
  privacyPolicy: fields.privacyPolicy || null,
  termsOfService: fields.termsOfService || null,
});

function validateFields(
  fields: FormFields,
  application: OwnedClient,
  production: boolean,
): ValidationError[] {
  const values = parseFields(fields);
  const kind = { type: application.type, isMachine: isMachineClient(application) };
  return [
    ...validateClient({ ...values, ...kind }, production).map(toSettingsError(fields.redirectUris)),
    ...validateLinks(values, production).map(toSettingsError()),
  ];
}

const redirectUrisChanged = (before: OwnedClient, { redirectUris }: FormFields): boolean =>
  splitLines(redirectUris).join('\n') !== before.redirectUris.join('\n');

type SettingsView = FormState & { fields: FormFields; application: OwnedClient };

function settingsView(view: SettingsView): Html {
  const { messages, application, fields, errors } = view;
  const { edit, form: text } = messages.applications;
  const isMachine = isMachineClient(application);
  return html`${consoleNavigation(messages, application, 'edit')}
${formStatus(view)}
<h1>${edit.title(application.name)}</h1>
${attentionNotice(application.verified ? edit.verified : undefined)}
<p class="quiet">${clientTypeLabel(application, messages)}. ${edit.fixed}</p>
${form({
  action: applicationUrl(application.clientId, 'edit'),
  csrf: view.csrf,
  body: html`${textField({ name: 'name', label: text.name, hint: isMachine ? undefined : text.nameHint, value: fields.name, errors })}
${!isMachine && signInSettings(view)}
${submitButton({ text: edit.action })}`,
})}`;
}

function signInSettings(view: SettingsView): Html {
  const { messages, application, fields, errors } = view;
  const { form: text } = messages.applications;
  const urlField = (name: string, label: string, value: string) =>
    textField({ name, label, value, type: 'url', optional: messages.fields.optional, errors });
  return html`${textArea({
    name: 'redirect_uris',
    label: text.redirectUris,
    hint: text.redirectUrisHints[application.type],
    value: fields.redirectUris,
    inputmode: 'url',
    rows: Math.min(20, Math.max(3, fields.redirectUris.split('\n').length + 1)),
    errors,
  })}
${reauthenticationFields(view, text.confirmCallbacksHint)}
${scopesField(view)}
${standardClaimsField(view)}
${textField({
  name: 'refresh_grace',
  label: text.refreshGrace,
  hint: text.refreshGraceHint,
  value: fields.refreshGrace,
  inputmode: 'numeric',
  errors,
})}
<h2>${text.presentation}</h2>
${urlField('home_page', text.homePage, fields.homePage)}
${urlField('privacy_policy', text.privacyPolicy, fields.privacyPolicy)}
${urlField('terms_of_service', text.termsOfService, fields.termsOfService)}`;
}

function scopesField({ messages, fields, errors }: SettingsView): Html {
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

function standardClaimsField({ messages, fields }: SettingsView): Html {
  const text = messages.applications.form;
  return choiceField({
    name: 'standard',
    kind: 'radio',
    legend: text.standardLegend,
    hint: text.standardHint,
    choices: (['on', 'off'] as const).map((value) => ({
      value,
      ...text.standardChoices[value],
      checked: fields.standard === (value === 'on'),
    })),
  });
}
