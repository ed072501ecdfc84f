// …/applications/:client_id/protocol: an application's OpenID Connect settings.
import type { FastifyInstance } from 'fastify';
import { parsePublicKeys, validateProtocolSettings } from '../../clients/protocol-fields.ts';
import { updateProtocol } from '../../clients/updates.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../oauth/signing-algorithms.ts';
import { type DeliveryRow, listDeliveries } from '../../store/logout-deliveries.ts';
import type { OwnClient, ProtocolSettings } from '../../store/own-clients.ts';
import {
  choiceField,
  type FormError,
  type FormState,
  form,
  formStatus,
  reauthenticationFields,
  selectField,
  submitButton,
  textArea,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, timeAgo } from '../../web/html/time.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation } from './layout.ts';
import { ownerOf, requireOwnClient } from './sections.ts';
import { splitLines, toSettingsError } from './settings-errors.ts';

const MAX_DELIVERIES = 20;

export function protocolPages(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.formPage({
    path: `${APPLICATIONS_URL}/:client_id/protocol`,
    async loadSubject(request) {
      return { application: await requireOwnClient(request, services) };
    },
    initialFields: ({ application }) => settingsAsFields(application),
    parse: readProtocol,
    async validate({ subject: { application }, fields }) {
      const keys = await parseKeys(application, fields);
      return [
        ...validateProtocolSettings(parseFields(fields), application.type, config.production),
        ...(keys !== null && 'code' in keys ? [keys] : []),
      ].map(toSettingsError(fields.postLogoutRedirectUris));
    },
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: { application }, fields }, transaction) {
      const { clientId, name } = application;
      const jwks = await parseKeys(application, fields);
      if (jwks !== null && 'code' in jwks) return { errors: [toSettingsError()(jwks)] };
      const [owner, settings] = [ownerOf(request), { ...parseFields(fields), jwks }];
      if ((await updateProtocol(transaction, owner, clientId, settings, services.now())) === 'notFound')
        throw notFound();
      const to = `${applicationUrl(clientId, 'protocol')}?done=changed`;
      return { to, notice: 'application_changed', subject: name };
    },
    doneMessages: ({ applications }) => ({ changed: applications.detail.done.changed }),
    async render({ subject: { application }, fields }) {
      const deliveries = await listDeliveries(database, application.clientId, MAX_DELIVERIES);
      return {
        title: (messages) => messages.protocol.title(application.name),
        main: (form) => protocolView({ ...form, application, fields, deliveries }),
      };
    },
  });
}

/** Parses the entered public keys. Returns null for a public client. */
const parseKeys = async ({ type }: OwnClient, { jwks }: ProtocolFields) =>
  type === 'confidential' ? parsePublicKeys(jwks) : null;

const readProtocol = (form: Parameters): ProtocolFields => ({
  idTokenAlgorithm: SIGNING_ALGORITHMS.find((name) => name === form.get('id_token_algorithm')) ?? 'RS256',
  idTokenClaims: CLAIMS_CHOICES.find((name) => name === form.get('id_token_claims')) ?? 'auto',
  parRequired: form.get('par_required') === 'on',
  pkceRequired: form.get('pkce_required') === 'on',
  mfaRequired: form.get('mfa_required') === 'on',
  deviceFlow: form.get('device_flow') === 'on',
  postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? '',
  backchannelLogoutUri: form.get('backchannel_logout_uri')?.trim() ?? '',
  jwks: form.get('jwks') ?? '',
});

const parseFields = (fields: ProtocolFields): Omit<ProtocolSettings, 'jwks'> => ({
  ...fields,
  idTokenClaims: fields.idTokenClaims === 'auto' ? null : fields.idTokenClaims === 'always',
  postLogoutRedirectUris: [...new Set(splitLines(fields.postLogoutRedirectUris))],
  backchannelLogoutUri: fields.backchannelLogoutUri || null,
});

const settingsAsFields = (settings: ProtocolSettings): ProtocolFields => ({
  ...settings,
  idTokenClaims: settings.idTokenClaims === null ? 'auto' : settings.idTokenClaims ? 'always' : 'never',
  postLogoutRedirectUris: settings.postLogoutRedirectUris.join('\n'),
  backchannelLogoutUri: settings.backchannelLogoutUri ?? '',
  jwks: settings.jwks === null ? '' : JSON.stringify(settings.jwks, null, 2),
});

/** Whether id_tokens include user claims. `auto` includes them only in standard mode. */
const CLAIMS_CHOICES = ['auto', 'always', 'never'] as const;

/** The form fields. List fields have one entry per line. */
type ProtocolFields = {
  idTokenAlgorithm: SigningAlgorithm;
  idTokenClaims: (typeof CLAIMS_CHOICES)[number];
  parRequired: boolean;
  pkceRequired: boolean;
  mfaRequired: boolean;
  deviceFlow: boolean;
  postLogoutRedirectUris: string;
  backchannelLogoutUri: string;
  jwks: string;
};

type ProtocolView = FormState & {
  application: OwnClient;
  fields: ProtocolFields;
  deliveries: readonly DeliveryRow[];
};

function protocolView(view: ProtocolView): Html {
  const { messages, application, fields, errors } = view;
  const { protocol: text } = messages;
  return html`${consoleNavigation(messages, application, 'protocol')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${form({
  action: applicationUrl(application.clientId, 'protocol'),
  csrf: view.csrf,
  body: html`<h2>${text.logout}</h2>
${urlListField('post_logout_redirect_uris', text.postLogout, text.postLogoutHint, fields.postLogoutRedirectUris, errors)}
${textField({
  name: 'backchannel_logout_uri',
  label: text.backchannel,
  hint: text.backchannelHint,
  type: 'url',
  inputmode: 'url',
  value: fields.backchannelLogoutUri,
  optional: true,
  errors,
})}
<h2>${text.tokens}</h2>
${selectField({
  name: 'id_token_algorithm',
  label: text.algorithm,
  hint: text.algorithmHint,
  options: SIGNING_ALGORITHMS.map((value) => ({ value, label: value })),
  value: fields.idTokenAlgorithm,
})}
${selectField({
  name: 'id_token_claims',
  label: text.claims,
  hint: text.claimsHint,
  options: CLAIMS_CHOICES.map((value) => ({ value, label: text.claimsChoices[value] })),
  value: fields.idTokenClaims,
})}
<h2>${text.signIn}</h2>
${checkboxField('mfa_required', text.secondFactor, text.secondFactorLabel, fields.mfaRequired, text.secondFactorHint)}
<h2>${text.requests}</h2>
${checkboxField('par_required', text.par, text.parLabel, fields.parRequired)}
${application.type === 'confidential' && checkboxField('pkce_required', text.pkce, text.pkceLabel, fields.pkceRequired)}
${checkboxField('device_flow', text.device, text.deviceLabel, fields.deviceFlow)}
${application.type === 'confidential' && authentication(view)}
${reauthenticationFields(view)}
${submitButton({ text: messages.applications.edit.action })}`,
})}
<h2>${text.deliveries}</h2>
${view.deliveries.length === 0 ? html`<p class="quiet">${text.noDelivery}</p>` : deliveryList(view)}`;
}

const urlListField = (
  name: string,
  label: string,
  hint: string,
  value: string,
  errors: readonly FormError[],
): Html => textArea({ name, label, hint, value, inputmode: 'url', rows: 3, optional: true, errors });

const checkboxField = (name: string, legend: string, label: string, checked: boolean, hint?: string): Html =>
  choiceField({ name, kind: 'checkbox', legend, choices: [{ value: 'on', label, hint, checked }] });

/** The fields for client authentication, which are shown only for confidential clients. */
function authentication({ messages: { protocol: text }, fields, errors }: ProtocolView): Html {
  return html`<h2>${text.authentication}</h2>
${textArea({
  name: 'jwks',
  label: text.keys,
  hint: text.keysHint,
  value: fields.jwks,
  rows: 6,
  optional: true,
  errors,
})}`;
}

function deliveryList({ messages, deliveries }: ProtocolView): Html {
  const { protocol: text } = messages;
  return html`<ul class="item-list">
${deliveries.map(
  (delivery) => html`<li><dl class="facts">
<div><dt>${text.deliveryAt}</dt><dd>${timeAgo(delivery.createdAt, messages)}</dd></div>
<div><dt>${text.attempts}</dt><dd>${delivery.attempts}</dd></div>
<div><dt>${text.outcome}</dt><dd>${outcomeOf(delivery, messages)}</dd></div>
</dl></li>
`,
)}</ul>`;
}

function outcomeOf(delivery: DeliveryRow, messages: Messages): Html {
  const { deliveredAt, nextAttemptAt, lastError, lastErrorDetail } = delivery;
  const { protocol: text } = messages;
  if (deliveredAt !== null) return tag(text.delivered, 'good');
  const reason =
    lastError !== null &&
    html` <code>${lastError}${lastErrorDetail !== null && `: ${lastErrorDetail}`}</code>`;
  if (nextAttemptAt === null) return html`${tag(text.givenUp, 'stopped')}${reason}`;
  return html`${text.waiting} ${dateTime(nextAttemptAt, messages)}${reason}`;
}
