// /console/applications/new and …/:client_id/edit: registers and edits an application.
import type { FastifyInstance } from 'fastify';
import { validatePostLogoutUris } from '../../clients/protocol-fields.ts';
import { registerOwnClient } from '../../clients/registration.ts';
import { validateClient, validateLinks } from '../../clients/settings-fields.ts';
import { updateClient } from '../../clients/updates.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { REFRESH_GRACE_PERIOD } from '../../oauth/lifetimes.ts';
import { type Parameters, parseParameters } from '../../oauth/parameters.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import { SCOPES } from '../../oauth/scopes.ts';
import type { OwnClient } from '../../store/own-clients.ts';
import { oneUseForm } from '../../web/csrf.ts';
import { writeFlash } from '../../web/flash.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import {
  attentionNotice,
  choiceField,
  type FormState,
  form,
  formStatus,
  reauthenticationFields,
  submitButton,
  textArea,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation, listLink } from './layout.ts';
import { APPLICATION_SECTION, ownerOf, quotaError, requireOwnClient } from './sections.ts';
import { splitLines, toSettingsError } from './settings-errors.ts';

/** The form fields. List fields have one entry per line. */
type FormFields = {
  name: string;
  type: ClientType | undefined;
  standard: boolean;
  redirectUris: string;
  scopes: string[];
  /** Set only while an application is being registered. */
  postLogoutRedirectUris: string;
  /** Set only for a registered application. */
  refreshGrace: string;
  homePage: string;
  privacyPolicy: string;
  termsOfService: string;
};

/** The order of the fields in the form, and of their errors in the error summary. */
const FIELD_ORDER = [
  ...['name', 'type', 'redirect_uris', 'post_logout_redirect_uris', 'scopes'],
  ...['refresh_grace', 'home_page', 'privacy_policy', 'terms_of_service'],
];

export function applicationFormPages(area: FastifyInstance, services: Services): void {
  const { config } = services;

  area.formPage({
    path: `${APPLICATIONS_URL}/new`,
    loadSubject: () => undefined,
    requiresVerifiedEmail: true,
    initialFields: () => readNew(parseParameters('scopes=openid+profile+email&type=confidential')),
    parse: readNew,
    validate: ({ fields }) => errorsIn(fields, config.production),
    async act({ request, reply, fields }) {
      const application = parseFields(fields);
      const [owner, form] = [ownerOf(request), oneUseForm(request, services, fields.name)];
      const limit = config.registrationsPerAccount;
      const registered = await registerOwnClient(services, owner, application, form, limit, services.now());
      if (registered === 'tooMany') return quotaError(APPLICATION_SECTION, config);
      const { clientId, clientSecret: secret } = registered;
      if (application.type === 'public') return `${applicationUrl(clientId, 'integrate')}?done=registered`;
      const to = applicationUrl(clientId, 'secrets/1');
      if (secret !== undefined) writeFlash(reply, services, to, { secret });
      return to;
    },
    render: ({ fields }) => ({
      title: (messages) => messages.applications.list.register,
      main: (form) => formView({ ...form, fields }),
    }),
  });

  area.formPage({
    path: `${APPLICATIONS_URL}/:client_id/edit`,
    loadSubject: (request) => requireOwnClient(request, services),
    initialFields: settingsAsFields,
    parse: (form, { type }) => ({ ...read(form), type }),
    validate: ({ fields }) => errorsIn(fields, config.production),
    // Only a re-authenticated owner may change the redirect URIs, because authorization codes are sent to them.
    requiresReauthentication: ({ subject, fields }) => redirectUrisChanged(subject, fields),
    inTransaction: true,
    async act({ request, subject, fields }, transaction) {
      const { clientId, name } = subject;
      if (!(await updateClient(transaction, ownerOf(request), clientId, parseFields(fields), services.now())))
        throw notFound();
      const to = `${applicationUrl(clientId)}?done=changed`;
      return {
        to,
        notice: redirectUrisChanged(subject, fields) ? 'application_changed' : undefined,
        subject: name,
      };
    },
    render: ({ subject: application, fields }) => ({
      title: (messages) => messages.applications.edit.title(application.name),
      main: (form) => formView({ ...form, application, fields }),
    }),
  });
}

function read(form: Parameters): FormFields {
  const text = (name: string) => form.get(name) ?? '';
  const type = form.get('type');
  return {
    name: text('name'),
    type: type === 'confidential' || type === 'public' ? type : undefined,
    standard: text('standard') === 'on',
    redirectUris: text('redirect_uris'),
    scopes: form.getAll('scopes').flatMap((scopes) => scopes.split(/\s+/)),
    postLogoutRedirectUris: text('post_logout_redirect_uris'),
    refreshGrace: text('refresh_grace'),
    homePage: text('home_page').trim(),
    privacyPolicy: text('privacy_policy').trim(),
    termsOfService: text('terms_of_service').trim(),
  };
}

const readNew = (form: Parameters): FormFields => ({
  ...read(form),
  refreshGrace: String(REFRESH_GRACE_PERIOD),
});

const settingsAsFields = (application: OwnClient): FormFields => ({
  ...application,
  redirectUris: application.redirectUris.join('\n'),
  postLogoutRedirectUris: '',
  refreshGrace: String(application.refreshGrace),
  homePage: application.homePage ?? '',
  privacyPolicy: application.privacyPolicy ?? '',
  termsOfService: application.termsOfService ?? '',
});

/** Parses the fields. The grace period is NaN if it isn't a whole number. */
const parseFields = (fields: FormFields) => ({
  ...fields,
  type: fields.type ?? 'confidential',
  redirectUris: splitLines(fields.redirectUris),
  postLogoutRedirectUris: splitLines(fields.postLogoutRedirectUris),
  refreshGrace: /^\d{1,4}$/.test(fields.refreshGrace.trim()) ? Number(fields.refreshGrace) : Number.NaN,
  homePage: fields.homePage || null,
  privacyPolicy: fields.privacyPolicy || null,
  termsOfService: fields.termsOfService || null,
});

function errorsIn(fields: FormFields, production: boolean): ValidationError[] {
  const values = parseFields(fields);
  const { type, postLogoutRedirectUris } = values;
  const errors: ValidationError[] = [
    ...validateClient(values, production).map(toSettingsError(fields.redirectUris)),
    ...validatePostLogoutUris(postLogoutRedirectUris, type, production).map(
      toSettingsError(fields.postLogoutRedirectUris),
    ),
    ...validateLinks(values, production).map(toSettingsError()),
  ];
  if (fields.type === undefined)
    errors.push({ field: 'type', text: ({ applications }) => applications.problems.typeMissing });
  return errors.sort(
    (one, other) => FIELD_ORDER.indexOf(one.field ?? '') - FIELD_ORDER.indexOf(other.field ?? ''),
  );
}

/** Whether the redirect URIs or their order changed. */
const redirectUrisChanged = (before: OwnClient, { redirectUris }: FormFields): boolean =>
  splitLines(redirectUris).join('\n') !== before.redirectUris.join('\n');

type View = FormState & {
  fields: FormFields;
  /** Undefined while a new application is being registered. */
  application?: OwnClient;
};

function formView(view: View): Html {
  const { messages, application, fields, errors } = view;
  const { list, edit, form: text, types } = messages.applications;
  const isNew = application === undefined;
  const link = (name: string, label: string, value: string) =>
    textField({ name, label, value, type: 'url', optional: messages.fields.optional, errors });
  return html`${isNew ? listLink(messages, 'application') : consoleNavigation(messages, application, 'edit')}
${formStatus(view)}
<h1>${isNew ? list.register : edit.title(application.name)}</h1>
${!isNew && html`<p class="quiet">${types[application.type]}. ${edit.fixed}</p>`}
${attentionNotice(application?.verified ? edit.verified : undefined)}
${form({
  action: isNew ? `${APPLICATIONS_URL}/new` : applicationUrl(application.clientId, 'edit'),
  csrf: view.csrf,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint,
    value: fields.name,
    autofocus: isNew && errors.length === 0,
    errors,
  })}
${isNew && typeField(view)}
${standardField(view)}
${textArea({
  name: 'redirect_uris',
  label: text.redirectUris,
  hint: text.redirectUrisHint,
  value: fields.redirectUris,
  inputmode: 'url',
  rows: Math.min(20, Math.max(3, fields.redirectUris.split('\n').length + 1)),
  errors,
})}
${
  isNew &&
  textArea({
    name: 'post_logout_redirect_uris',
    label: messages.protocol.postLogout,
    hint: messages.protocol.postLogoutHint,
    value: fields.postLogoutRedirectUris,
    inputmode: 'url',
    rows: 2,
    optional: messages.fields.optional,
    errors,
  })
}
${scopesField(view)}
${
  !isNew &&
  html`${textField({
    name: 'refresh_grace',
    label: text.refreshGrace,
    hint: text.refreshGraceHint,
    value: fields.refreshGrace,
    inputmode: 'numeric',
    errors,
  })}
<h2>${text.presentation}</h2>
${link('home_page', text.homePage, fields.homePage)}
${link('privacy_policy', text.privacyPolicy, fields.privacyPolicy)}
${link('terms_of_service', text.termsOfService, fields.termsOfService)}
${reauthenticationFields(view, text.confirmCallbacksHint)}`
}
${submitButton({ text: isNew ? list.register : edit.action })}`,
})}`;
}

function scopesField({ messages, fields, errors }: View): Html {
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

function typeField({ messages, fields, errors }: View): Html {
  const { form: text, types } = messages.applications;
  return choiceField({
    name: 'type',
    kind: 'radio',
    legend: text.typeLegend,
    choices: (['confidential', 'public'] as const).map((type) => ({
      value: type,
      label: types[type],
      hint: text.typeHints[type],
      checked: fields.type === type,
    })),
    errors,
  });
}

/** The field for standard mode. Its label asks whether the developer uses a library. */
function standardField({ messages, fields }: View): Html {
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
