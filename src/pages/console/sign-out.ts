// …/applications/:client_id/sign-out: sign-out URLs and the latest back-channel logouts.
import type { FastifyInstance } from 'fastify';
import { validateProtocolSettings } from '../../clients/protocol-fields.ts';
import { changeProtocolSettings } from '../../clients/updates.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import { type DeliveryRow, listDeliveries } from '../../store/logout-deliveries.ts';
import type { OwnedClient } from '../../store/owned-clients.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { textArea, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTime, timeAgo } from '../../web/html/time.ts';
import { APPLICATIONS_URL, applicationUrl, consoleNavigation } from './layout.ts';
import { ownerOf, requireOwnedClient } from './sections.ts';
import { splitLines, toSettingsError } from './settings-errors.ts';

const MAX_LISTED_DELIVERIES = 20;

type SignOutFields = {
  /** One URI per line. */
  postLogoutRedirectUris: string;
  backchannelLogoutUri: string;
};

export function signOutSettingsPage(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.formPage({
    path: `${APPLICATIONS_URL}/:client_id/sign-out`,
    loadSubject: (request) => requireOwnedClient(request, services),
    initialFields: ({ postLogoutRedirectUris, backchannelLogoutUri }): SignOutFields => ({
      postLogoutRedirectUris: postLogoutRedirectUris.join('\n'),
      backchannelLogoutUri: backchannelLogoutUri ?? '',
    }),
    parse: (form) => ({
      postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? '',
      backchannelLogoutUri: form.get('backchannel_logout_uri')?.trim() ?? '',
    }),
    validate: ({ subject: { type }, fields }) =>
      validateProtocolSettings(parseFields(fields), type, config.production).map(
        toSettingsError(fields.postLogoutRedirectUris),
      ),
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: { clientId, name }, fields }, transaction) {
      const [owner, change] = [ownerOf(request), parseFields(fields)];
      if ((await changeProtocolSettings(transaction, owner, clientId, change, services.now())) === 'notFound')
        throw notFound();
      const to = `${applicationUrl(clientId, 'sign-out')}?done=changed`;
      return { to, notice: 'application_changed', subject: name };
    },
    doneMessages: ({ applications }) => ({ changed: applications.detail.done.changed }),
    async render({ subject: application, fields }) {
      const deliveries = await listDeliveries(database, application.clientId, MAX_LISTED_DELIVERIES);
      return {
        title: (messages) => messages.protocol.logoutTitle(application.name),
        main: (form) => signOutView({ ...form, application, fields, deliveries }),
      };
    },
  });
}

const parseFields = ({ postLogoutRedirectUris, backchannelLogoutUri }: SignOutFields) => ({
  postLogoutRedirectUris: [...new Set(splitLines(postLogoutRedirectUris))],
  backchannelLogoutUri: backchannelLogoutUri || null,
});

type SignOutView = FormState & {
  application: OwnedClient;
  fields: SignOutFields;
  deliveries: readonly DeliveryRow[];
};

function signOutView(view: SignOutView): Html {
  const { messages, application, fields, errors } = view;
  const { protocol: text } = messages;
  const { optional } = messages.fields;
  return html`${consoleNavigation(messages, application, 'sign-out')}
${formStatus(view)}
<h1>${text.logoutTitle(application.name)}</h1>
${form({
  action: applicationUrl(application.clientId, 'sign-out'),
  csrf: view.csrf,
  body: html`${textArea({
    name: 'post_logout_redirect_uris',
    label: text.postLogout,
    hint: text.postLogoutHint,
    value: fields.postLogoutRedirectUris,
    inputmode: 'url',
    rows: 3,
    optional,
    errors,
  })}
${textField({
  name: 'backchannel_logout_uri',
  label: text.backchannel,
  hint: text.backchannelHint,
  type: 'url',
  inputmode: 'url',
  value: fields.backchannelLogoutUri,
  optional,
  errors,
})}
${reauthenticationFields(view)}
${submitButton({ text: messages.applications.edit.action })}`,
})}
<h2>${text.deliveries}</h2>
${view.deliveries.length === 0 ? html`<p class="quiet">${text.noDelivery}</p>` : deliveryList(view)}`;
}

function deliveryList({ messages, deliveries }: SignOutView): Html {
  const { protocol: text } = messages;
  return html`<dl class="facts facts--framed">
${deliveries.map(
  (
    delivery,
  ) => html`<div><dt>${timeAgo(delivery.createdAt, messages)}</dt><dd>${deliveryOutcome(delivery, messages)}${delivery.lastError !== null && delivery.deliveredAt === null && ' ·'} <span class="quiet">${text.attempts(delivery.attempts)}${delivery.nextAttemptAt !== null && html`, ${text.nextAttempt} ${dateTime(delivery.nextAttemptAt, messages)}`}</span></dd></div>
`,
)}</dl>`;
}

function deliveryOutcome(delivery: DeliveryRow, { protocol: text }: Messages): Html {
  const { deliveredAt, nextAttemptAt, lastError, lastErrorDetail } = delivery;
  if (deliveredAt !== null) return tag(text.delivered, 'good');
  const state = nextAttemptAt === null ? tag(text.givenUp, 'stopped') : tag(text.waiting, 'waiting');
  if (lastError === null) return state;
  if (lastError === 'http_status')
    return html`${state} ${text.deliveryErrors.http_status(lastErrorDetail ?? '')}`;
  const detail = lastErrorDetail !== null && html` <br><code>${lastErrorDetail}</code>`;
  return html`${state} ${text.deliveryErrors[lastError]}${detail}`;
}
