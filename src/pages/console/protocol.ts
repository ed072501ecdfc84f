// /console/applications/:client_id/protocol: what an application wants of OpenID Connect beyond the contract.
import type { FastifyInstance } from 'fastify';
import { changeProtocol } from '../../applications/changes.ts';
import { protocolFaults, readKeys } from '../../applications/protocol-fields.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../oauth/signing-algorithms.ts';
import type { OwnApplication, ProtocolSettings } from '../../store/applications.ts';
import { type DeliveryRow, listDeliveries } from '../../store/logout-deliveries.ts';
import {
  choiceField,
  confirmationField,
  type FormError,
  type FormState,
  form,
  formStatus,
  selectField,
  submitButton,
  textArea,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, moment } from '../../web/html/time.ts';
import { APPLICATIONS, applicationAddress, way } from './frame-view.ts';
import { ownApplication, ownerOf } from './sections.ts';
import { linesOf, settingsError } from './settings-errors.ts';

const DELIVERIES = 20;

export function protocolPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.formPage({
    url: `${APPLICATIONS}/:client_id/protocol`,
    async about(request) {
      return { application: await ownApplication(request, parts) };
    },
    begin: ({ application }) => formOfSettings(application),
    read: readProtocol,
    async faults({ about: { application }, fields }) {
      const keys = await keysOf(application, fields);
      return [
        ...protocolFaults(settingsOfForm(fields), application.type, config.production),
        ...(keys !== null && 'fault' in keys ? [keys] : []),
      ].map(settingsError(fields.postLogoutRedirectUris));
    },
    proof: true,
    inTransaction: true,
    async act({ request, about: { application }, fields }, transaction) {
      const { clientId, name } = application;
      const jwks = await keysOf(application, fields);
      if (jwks !== null && 'fault' in jwks) return { faults: [settingsError()(jwks)] };
      const [owner, settings] = [ownerOf(request), { ...settingsOfForm(fields), jwks }];
      if ((await changeProtocol(transaction, owner, clientId, settings, parts.now())) === 'gone')
        throw notFound();
      const to = `${applicationAddress(clientId, 'protocol')}?done=changed`;
      return { to, notice: 'application_changed', subject: name };
    },
    done: ({ applications }) => ({ changed: applications.detail.done.changed }),
    async page({ about: { application }, fields }) {
      const deliveries = await listDeliveries(database, application.clientId, DELIVERIES);
      return {
        title: (messages) => messages.protocol.title(application.name),
        main: (form) => protocolView({ ...form, application, fields, deliveries }),
      };
    },
  });
}

/** A public application has none. */
const keysOf = async ({ type }: OwnApplication, { jwks }: ProtocolForm) =>
  type === 'confidential' ? readKeys(jwks) : null;

const readProtocol = (form: Parameters): ProtocolForm => ({
  idTokenAlgorithm: SIGNING_ALGORITHMS.find((name) => name === form.get('id_token_algorithm')) ?? 'RS256',
  idTokenClaims: CLAIMS_CHOICES.find((name) => name === form.get('id_token_claims')) ?? 'auto',
  parRequired: form.get('par_required') === 'on',
  pkceRequired: form.get('pkce_required') === 'on',
  secondFactorRequired: form.get('second_factor_required') === 'on',
  deviceFlow: form.get('device_flow') === 'on',
  postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? '',
  backchannelLogoutUri: form.get('backchannel_logout_uri')?.trim() ?? '',
  jwks: form.get('jwks') ?? '',
});

const settingsOfForm = (fields: ProtocolForm): Omit<ProtocolSettings, 'jwks'> => ({
  ...fields,
  idTokenClaims: fields.idTokenClaims === 'auto' ? null : fields.idTokenClaims === 'always',
  postLogoutRedirectUris: [...new Set(linesOf(fields.postLogoutRedirectUris))],
  backchannelLogoutUri: fields.backchannelLogoutUri || null,
});

const formOfSettings = (settings: ProtocolSettings): ProtocolForm => ({
  ...settings,
  idTokenClaims: settings.idTokenClaims === null ? 'auto' : settings.idTokenClaims ? 'always' : 'never',
  postLogoutRedirectUris: settings.postLogoutRedirectUris.join('\n'),
  backchannelLogoutUri: settings.backchannelLogoutUri ?? '',
  jwks: settings.jwks === null ? '' : JSON.stringify(settings.jwks, null, 2),
});

/** Whether id_tokens carry claims: as the mode says, or one way or the other (D57). */
const CLAIMS_CHOICES = ['auto', 'always', 'never'] as const;

/** The settings as they were typed, or as they stand; lists one a line. */
type ProtocolForm = {
  idTokenAlgorithm: SigningAlgorithm;
  idTokenClaims: (typeof CLAIMS_CHOICES)[number];
  parRequired: boolean;
  pkceRequired: boolean;
  secondFactorRequired: boolean;
  deviceFlow: boolean;
  postLogoutRedirectUris: string;
  backchannelLogoutUri: string;
  jwks: string;
};

type ProtocolView = FormState & {
  application: OwnApplication;
  fields: ProtocolForm;
  deliveries: readonly DeliveryRow[];
};

function protocolView(view: ProtocolView): Html {
  const { messages, application, fields, errors } = view;
  const { protocol: text } = messages;
  return html`${way(messages, application, 'protocol')}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${form({
  action: applicationAddress(application.clientId, 'protocol'),
  csrf: view.csrf,
  body: html`<h2>${text.logout}</h2>
${lines('post_logout_redirect_uris', text.postLogout, text.postLogoutHint, fields.postLogoutRedirectUris, errors)}
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
${onOrOff('second_factor_required', text.secondFactor, text.secondFactorLabel, fields.secondFactorRequired, text.secondFactorHint)}
<h2>${text.requests}</h2>
${onOrOff('par_required', text.par, text.parLabel, fields.parRequired)}
${application.type === 'confidential' && onOrOff('pkce_required', text.pkce, text.pkceLabel, fields.pkceRequired)}
${onOrOff('device_flow', text.device, text.deviceLabel, fields.deviceFlow)}
${application.type === 'confidential' && authentication(view)}
${confirmationField(view)}
${submitButton({ text: messages.applications.edit.action })}`,
})}
<h2>${text.deliveries}</h2>
${view.deliveries.length === 0 ? html`<p class="quiet">${text.noDelivery}</p>` : deliveryList(view)}`;
}

const lines = (
  name: string,
  label: string,
  hint: string,
  value: string,
  errors: readonly FormError[],
): Html => textArea({ name, label, hint, value, inputmode: 'url', rows: 3, optional: true, errors });

const onOrOff = (name: string, legend: string, label: string, checked: boolean, hint?: string): Html =>
  choiceField({ name, kind: 'checkbox', legend, choices: [{ value: 'on', label, hint, checked }] });

/** What only an application can do that keeps something secret. */
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
  return html`<ul class="connected">
${deliveries.map(
  (delivery) => html`<li><dl class="facts">
<div><dt>${text.deliveryAt}</dt><dd>${ago(delivery.createdAt, messages)}</dd></div>
<div><dt>${text.attempts}</dt><dd>${delivery.attempts}</dd></div>
<div><dt>${text.outcome}</dt><dd>${outcomeOf(delivery, messages)}</dd></div>
</dl></li>
`,
)}</ul>`;
}

function outcomeOf(delivery: DeliveryRow, messages: Messages): Html {
  const { deliveredAt, nextAttemptAt, lastFault, lastDetail } = delivery;
  const { protocol: text } = messages;
  if (deliveredAt !== null) return tag(text.delivered, 'good');
  const why =
    lastFault !== null && html` <code>${lastFault}${lastDetail !== null && `: ${lastDetail}`}</code>`;
  if (nextAttemptAt === null) return html`${tag(text.givenUp, 'stopped')}${why}`;
  return html`${text.waiting} ${moment(nextAttemptAt, messages)}${why}`;
}
