// …/applications/:client_id/protocol: settings for an application's requests, tokens and keys.
import type { FastifyInstance } from 'fastify';
import { isMachineClient } from '../../clients/kind.ts';
import { parsePublicKeys } from '../../clients/protocol-fields.ts';
import { changeProtocolSettings } from '../../clients/updates.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../oauth/signing-algorithms.ts';
import type { OwnedClient, ProtocolSettings } from '../../store/owned-clients.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { choiceField, selectField, textArea } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation } from './layout.ts';
import { ownerOf, requireOwnedClient } from './sections.ts';
import { toSettingsError } from './settings-errors.ts';

/** `auto` includes user claims in id_tokens only with standard field names. */
const CLAIMS_CHOICES = ['auto', 'always', 'never'] as const;

type ProtocolFields = {
  idTokenAlgorithm: SigningAlgorithm;
  idTokenClaims: (typeof CLAIMS_CHOICES)[number];
  parRequired: boolean;
  pkceRequired: boolean;
  mfaRequired: boolean;
  deviceFlow: boolean;
  jwks: string;
};

export function protocolPage(area: FastifyInstance, services: Services): void {
  area.formPage({
    path: `${APPLICATIONS_URL}/:client_id/protocol`,
    loadSubject: (request) => requireOwnedClient(request, services),
    initialFields: toFormFields,
    parse: (form, application) =>
      isMachineClient(application)
        ? { ...toFormFields(application), jwks: form.get('jwks') ?? '' }
        : readProtocolFields(form),
    async validate({ subject, fields }) {
      const keys = await parseKeys(subject, fields);
      return keys !== null && 'code' in keys ? [toSettingsError()(keys)] : [];
    },
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject, fields }, transaction) {
      const { clientId, name } = subject;
      const jwks = await parseKeys(subject, fields);
      if (jwks !== null && 'code' in jwks) return { errors: [toSettingsError()(jwks)] };
      const [owner, change] = [ownerOf(request), { ...parseFields(fields), jwks }];
      if ((await changeProtocolSettings(transaction, owner, clientId, change, services.now())) === 'notFound')
        throw notFound();
      const to = `${applicationUrl(clientId, 'protocol')}?done=changed`;
      return { to, notice: 'application_changed', subject: name };
    },
    doneMessages: ({ applications }) => ({ changed: applications.detail.done.changed }),
    render: ({ subject: application, fields }) => ({
      title: (messages) => messages.protocol.title(application.name),
      main: (form) => protocolView({ ...form, application, fields }),
    }),
  });
}

const parseKeys = async ({ type }: OwnedClient, { jwks }: ProtocolFields) =>
  type === 'confidential' ? parsePublicKeys(jwks) : null;

const readProtocolFields = (form: Parameters): ProtocolFields => ({
  idTokenAlgorithm: SIGNING_ALGORITHMS.find((name) => name === form.get('id_token_algorithm')) ?? 'RS256',
  idTokenClaims: CLAIMS_CHOICES.find((name) => name === form.get('id_token_claims')) ?? 'auto',
  parRequired: form.get('par_required') === 'on',
  pkceRequired: form.get('pkce_required') === 'on',
  mfaRequired: form.get('mfa_required') === 'on',
  deviceFlow: form.get('device_flow') === 'on',
  jwks: form.get('jwks') ?? '',
});

const parseFields = ({ jwks: _, ...fields }: ProtocolFields): Partial<ProtocolSettings> => ({
  ...fields,
  idTokenClaims: fields.idTokenClaims === 'auto' ? null : fields.idTokenClaims === 'always',
});

const toFormFields = (settings: ProtocolSettings): ProtocolFields => ({
  ...settings,
  idTokenClaims: settings.idTokenClaims === null ? 'auto' : settings.idTokenClaims ? 'always' : 'never',
  jwks: settings.jwks === null ? '' : JSON.stringify(settings.jwks, null, 2),
});

type ProtocolView = FormState & {
  application: OwnedClient;
  fields: ProtocolFields;
};

function protocolView(view: ProtocolView): Html {
  const { messages, application } = view;
  const { protocol: text } = messages;
  return html`${consoleNavigation(messages, application, 'protocol')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
${!isMachineClient(application) && html`<p class="lead">${text.lead}</p>`}
${form({
  action: applicationUrl(application.clientId, 'protocol'),
  csrf: view.csrf,
  body: html`${!isMachineClient(application) && signInSettings(view)}
${application.type === 'confidential' && publicKeysField(view)}
${reauthenticationFields(view)}
${submitButton({ text: messages.applications.edit.action })}`,
})}`;
}

function signInSettings({ messages, application, fields }: ProtocolView): Html {
  const { protocol: text, applications } = messages;
  return html`${selectField({
    name: 'id_token_algorithm',
    label: text.algorithm,
    hint: text.algorithmHint,
    options: SIGNING_ALGORITHMS.map((value) => ({ value, label: value })),
    value: fields.idTokenAlgorithm,
  })}
${selectField({
  name: 'id_token_claims',
  label: text.claims,
  hint: html`${text.claimsHint} <a href="${applicationUrl(application.clientId, 'edit')}">${applications.form.standardLegend}</a>`,
  options: CLAIMS_CHOICES.map((value) => ({ value, label: text.claimsChoices[value] })),
  value: fields.idTokenClaims,
})}
${choiceField({
  name: 'requests',
  kind: 'checkbox',
  legend: text.requests,
  choices: [
    {
      name: 'mfa_required',
      label: text.secondFactor,
      hint: text.secondFactorHint,
      checked: fields.mfaRequired,
    },
    { name: 'par_required', label: text.par, hint: text.parHint, checked: fields.parRequired },
    ...(application.type === 'confidential'
      ? [{ name: 'pkce_required', label: text.pkce, hint: text.pkceHint, checked: fields.pkceRequired }]
      : []),
    { name: 'device_flow', label: text.device, hint: text.deviceHint, checked: fields.deviceFlow },
  ].map((choice) => ({ value: 'on', ...choice })),
})}`;
}

function publicKeysField({ messages, fields, errors }: ProtocolView): Html {
  const { protocol: text } = messages;
  return textArea({
    name: 'jwks',
    label: text.keys,
    hint: text.keysHint,
    value: fields.jwks,
    rows: 6,
    optional: messages.fields.optional,
    errors,
  });
}
