// /console/applications/new: registers an application.
import type { FastifyInstance } from 'fastify';
import { CLIENT_KINDS, type ClientKind, isClientKind } from '../../clients/kind.ts';
import { registerOwnedClient } from '../../clients/registration.ts';
import { validateClient } from '../../clients/settings-fields.ts';
import type { Services } from '../../http/services.ts';
import { REFRESH_GRACE_PERIOD } from '../../oauth/lifetimes.ts';
import { type Parameters, parseParameters } from '../../oauth/parameters.ts';
import { singleUseFormToken } from '../../web/csrf.ts';
import { writeFlash } from '../../web/flash.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { choiceField, textArea, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import type { IconName } from '../../web/html/icons.ts';
import { APPLICATIONS_URL, applicationUrl, listLink } from './layout.ts';
import { APPLICATION_SECTION, ownerOf, quotaError } from './sections.ts';
import { splitLines, toSettingsError } from './settings-errors.ts';

type FormFields = {
  kind: ClientKind | null;
  name: string;
  /** One URI per line. Ignored for machine-to-machine applications. */
  redirectUris: string;
};

const KIND_ICONS: Record<ClientKind, IconName> = {
  web: 'globe',
  spa: 'app-window',
  native: 'smartphone',
  machine: 'server',
};
const KINDS = Object.keys(CLIENT_KINDS) as ClientKind[];

const DEFAULT_SETTINGS = {
  scopes: ['openid', 'profile', 'email'],
  standard: true,
  refreshGrace: REFRESH_GRACE_PERIOD,
};

export function registrationPage(area: FastifyInstance, services: Services): void {
  const { config } = services;

  area.formPage({
    path: `${APPLICATIONS_URL}/new`,
    loadSubject: () => undefined,
    requiresVerifiedEmail: true,
    initialFields: () => readFields(parseParameters('type=web')),
    parse: readFields,
    validate: ({ fields }) => validateFields(fields, config.production),
    async act({ request, reply, fields }) {
      const application = toApplication(fields);
      const [owner, form] = [ownerOf(request), singleUseFormToken(request, services, fields.name)];
      const limit = config.registrationsPerAccount;
      const registered = await registerOwnedClient(services, owner, application, form, limit, services.now());
      if (registered === 'tooMany') return quotaError(APPLICATION_SECTION, config);
      const { clientId, clientSecret: secret } = registered;
      if (application.type === 'public') return `${applicationUrl(clientId, 'integrate')}?done=registered`;
      const to = `${applicationUrl(clientId, 'secrets/1')}?done=registered`;
      if (secret !== undefined) writeFlash(reply, services, to, { secret });
      return to;
    },
    render: ({ fields }) => ({
      title: (messages) => messages.applications.list.register,
      main: (form) => registrationView({ ...form, fields }),
    }),
  });
}

function readFields(form: Parameters): FormFields {
  const kind = form.get('type');
  return {
    kind: isClientKind(kind) ? kind : null,
    name: form.get('name') ?? '',
    redirectUris: form.get('redirect_uris') ?? '',
  };
}

const toApplication = ({ kind, name, redirectUris }: FormFields) => ({
  ...DEFAULT_SETTINGS,
  name,
  type: CLIENT_KINDS[kind ?? 'web'],
  redirectUris: kind === 'machine' ? [] : splitLines(redirectUris),
});

function validateFields(fields: FormFields, production: boolean): ValidationError[] {
  const errors = validateClient(
    { ...toApplication(fields), isMachine: fields.kind === 'machine' },
    production,
  ).map(toSettingsError(fields.redirectUris));
  return fields.kind === null
    ? [{ field: 'type', text: ({ applications }) => applications.problems.typeMissing }, ...errors]
    : errors;
}

function registrationView(view: FormState & { fields: FormFields }): Html {
  const { messages, fields, errors } = view;
  const { list, form: text, kinds } = messages.applications;
  return html`${listLink(messages, 'application')}
${formStatus(view)}
<h1>${list.register}</h1>
${form({
  action: `${APPLICATIONS_URL}/new`,
  csrf: view.csrf,
  body: html`${choiceField({
    name: 'type',
    kind: 'radio',
    legend: messages.applications.type,
    choices: KINDS.map((kind) => ({
      value: kind,
      ...kinds[kind],
      icon: KIND_ICONS[kind],
      checked: fields.kind === kind,
    })),
    errors,
  })}
${textField({ name: 'name', label: text.name, value: fields.name, errors })}
${textArea({
  name: 'redirect_uris',
  label: text.redirectUri,
  hint: text.redirectUriHint,
  value: fields.redirectUris,
  inputmode: 'url',
  rows: Math.min(20, Math.max(2, fields.redirectUris.split('\n').length)),
  errors,
})}
${submitButton({ text: list.register })}`,
})}`;
}
