// /console/applications/new and …/:client_id/edit: registers an application, and changes its settings.
import type { FastifyInstance } from 'fastify';
import { changeApplication } from '../../applications/changes.ts';
import { logoutAddressFaults } from '../../applications/protocol-fields.ts';
import { registerOwnApplication } from '../../applications/registration.ts';
import { applicationFaults, linkFaults } from '../../applications/settings-fields.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { REFRESH_GRACE } from '../../oauth/lifetimes.ts';
import { type Parameters, parseParameters } from '../../oauth/parameters.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import { SCOPES } from '../../oauth/scopes.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { oneUse } from '../../web/csrf.ts';
import type { Fault } from '../../web/faults.ts';
import { writeFlash } from '../../web/flash.ts';
import {
  attention,
  choiceField,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textArea,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { APPLICATIONS, applicationAddress, way, wayToList } from './frame-view.ts';
import { APPLICATION_SECTION, ownApplication, ownerOf, quotaReached } from './sections.ts';
import { linesOf, settingsError } from './settings-errors.ts';

/** The fields as they were typed; lists have one entry a line. */
type Typed = {
  name: string;
  type: ClientType | undefined;
  standard: boolean;
  redirectUris: string;
  scopes: string[];
  /** Asked for at registration. */
  postLogoutRedirectUris: string;
  /** Asked for afterwards. */
  refreshGrace: string;
  homePage: string;
  privacyPolicy: string;
  termsOfService: string;
};

/** The fields in the order of the form, which errors are listed in. */
const ORDER = [
  ...['name', 'type', 'redirect_uris', 'post_logout_redirect_uris', 'scopes'],
  ...['refresh_grace', 'home_page', 'privacy_policy', 'terms_of_service'],
];

export function applicationFormPages(area: FastifyInstance, parts: Parts): void {
  const { config } = parts;

  area.formPage({
    url: `${APPLICATIONS}/new`,
    about: () => undefined,
    verifiedEmail: true,
    begin: () => readNew(parseParameters('scopes=openid+profile+email&type=confidential')),
    read: readNew,
    faults: ({ fields }) => errorsIn(fields, config.production),
    async act({ request, reply, fields }) {
      const application = valuesOf(fields);
      const [owner, form] = [ownerOf(request), oneUse(request, parts, fields.name)];
      const limit = config.registrationsPerAccount;
      const registered = await registerOwnApplication(parts, owner, application, form, limit, parts.now());
      if (registered === 'tooMany') return quotaReached(APPLICATION_SECTION, config);
      const { clientId, clientSecret: secret } = registered;
      if (application.type === 'public')
        return `${applicationAddress(clientId, 'integrate')}?done=registered`;
      const to = applicationAddress(clientId, 'secrets/1');
      if (secret !== undefined) writeFlash(reply, parts, to, { secret });
      return to;
    },
    page: ({ fields }) => ({
      title: (messages) => messages.applications.list.register,
      main: (form) => formView({ ...form, fields }),
    }),
  });

  area.formPage({
    url: `${APPLICATIONS}/:client_id/edit`,
    about: (request) => ownApplication(request, parts),
    begin: typedSettings,
    read: (form, { type }) => ({ ...read(form), type }),
    faults: ({ fields }) => errorsIn(fields, config.production),
    // Only a re-authenticated owner may change where users are sent with a code.
    proof: ({ about, fields }) => isMoved(about, fields),
    inTransaction: true,
    async act({ request, about, fields }, transaction) {
      const { clientId, name } = about;
      if (!(await changeApplication(transaction, ownerOf(request), clientId, valuesOf(fields), parts.now())))
        throw notFound();
      const to = `${applicationAddress(clientId)}?done=changed`;
      return { to, notice: isMoved(about, fields) ? 'application_changed' : undefined, subject: name };
    },
    page: ({ about: application, fields }) => ({
      title: (messages) => messages.applications.edit.title(application.name),
      main: (form) => formView({ ...form, application, fields }),
    }),
  });
}

function read(form: Parameters): Typed {
  const text = (name: string) => form.get(name) ?? '';
  const type = form.get('type');
  return {
    name: text('name'),
    type: type === 'confidential' || type === 'public' ? type : undefined,
    standard: text('standard') === 'on',
    redirectUris: text('redirect_uris'),
    scopes: form.all('scopes').flatMap((scopes) => scopes.split(/\s+/)),
    postLogoutRedirectUris: text('post_logout_redirect_uris'),
    refreshGrace: text('refresh_grace'),
    homePage: text('home_page').trim(),
    privacyPolicy: text('privacy_policy').trim(),
    termsOfService: text('terms_of_service').trim(),
  };
}

const readNew = (form: Parameters): Typed => ({ ...read(form), refreshGrace: String(REFRESH_GRACE) });

/** The settings of an application as its form shows them. */
const typedSettings = (application: OwnApplication): Typed => ({
  ...application,
  redirectUris: application.redirectUris.join('\n'),
  postLogoutRedirectUris: '',
  refreshGrace: String(application.refreshGrace),
  homePage: application.homePage ?? '',
  privacyPolicy: application.privacyPolicy ?? '',
  termsOfService: application.termsOfService ?? '',
});

/** What the fields mean; the grace period is NaN if it isn't a whole number. */
const valuesOf = (fields: Typed) => ({
  ...fields,
  type: fields.type ?? 'confidential',
  redirectUris: linesOf(fields.redirectUris),
  postLogoutRedirectUris: linesOf(fields.postLogoutRedirectUris),
  refreshGrace: /^\d{1,4}$/.test(fields.refreshGrace.trim()) ? Number(fields.refreshGrace) : Number.NaN,
  homePage: fields.homePage || null,
  privacyPolicy: fields.privacyPolicy || null,
  termsOfService: fields.termsOfService || null,
});

function errorsIn(fields: Typed, production: boolean): Fault[] {
  const values = valuesOf(fields);
  const { type, postLogoutRedirectUris } = values;
  const errors: Fault[] = [
    ...applicationFaults(values, production).map(settingsError(fields.redirectUris)),
    ...logoutAddressFaults(postLogoutRedirectUris, type, production).map(
      settingsError(fields.postLogoutRedirectUris),
    ),
    ...linkFaults(values, production).map(settingsError()),
  ];
  if (fields.type === undefined)
    errors.push({ field: 'type', text: ({ applications }) => applications.problems.typeMissing });
  return errors.sort((one, other) => ORDER.indexOf(one.field ?? '') - ORDER.indexOf(other.field ?? ''));
}

/** Whether the callback URLs or their order differ. */
const isMoved = (before: OwnApplication, { redirectUris }: Typed): boolean =>
  linesOf(redirectUris).join('\n') !== before.redirectUris.join('\n');

type View = FormState & {
  fields: Typed;
  /** Undefined at registration. */
  application?: OwnApplication;
};

function formView(view: View): Html {
  const { messages, application, fields, errors } = view;
  const { list, edit, form: text, types } = messages.applications;
  const isNew = application === undefined;
  const link = (name: string, label: string, value: string) =>
    textField({ name, label, value, type: 'url', optional: messages.fields.optional, errors });
  return html`${isNew ? wayToList(messages, 'application') : way(messages, application, 'edit')}
${formStatus(view)}
<h1>${isNew ? list.register : edit.title(application.name)}</h1>
${!isNew && html`<p class="quiet">${types[application.type]}. ${edit.fixed}</p>`}
${attention(application?.verified ? edit.verified : undefined)}
${form({
  action: isNew ? `${APPLICATIONS}/new` : applicationAddress(application.clientId, 'edit'),
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
${confirmationField(view, text.confirmCallbacksHint)}`
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

/** Standard mode, asked for as what developers know: whether they use a library. */
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
