// …/diagnostics: an application's or API's rejected requests, for its owner and administrators.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { normalizeIncidentCode } from '../../http/incident-code.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import type { DiagnosticKind } from '../../oauth/refusal-reason.ts';
import { listObservations } from '../../store/client-observations.ts';
import { findVisibleApi, type VisibleApi } from '../../store/owned-apis.ts';
import { findVisibleClient, type VisibleClient } from '../../store/owned-clients.ts';
import {
  type ApiRefusalRow,
  listApiRefusalKinds,
  listApiRefusals,
  listRefusalKinds,
  listRefusals,
  type RefusalFilter,
  type RefusalKindRow,
  type RefusalRow,
} from '../../store/refusals.ts';
import { clientDisplayName } from '../../web/html/client-display.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { logo } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { apiClientName, clientSummary } from './apis/client-view.ts';
import { checklistView } from './checklist-view.ts';
import {
  APIS_URL,
  APPLICATIONS_URL,
  applicationUrl,
  type ConsolePage,
  clientOrApiUrl,
  pageLink,
  viewerNavigation,
} from './layout.ts';
import { type RefusalEntry, refusedRequestsView } from './refusals-view.ts';
import { apiIdOf, clientIdOf } from './sections.ts';

export function diagnosticsPages(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(`${APPLICATIONS_URL}/:client_id/diagnostics`, async (request, reply) => {
    const { userId } = signedInUser(request);
    const application = await findVisibleClient(database, userId, clientIdOf(request));
    if (application === undefined) throw notFound();
    const { clientId } = application;
    const filter = await readFilter(request);
    const refusals = await listRefusals(database, clientId, filter);
    const kinds = await listRefusalKinds(database, clientId);
    const observations = await listObservations(database, clientId);
    return sendDiagnosticsPage(reply, application, filter, {
      ...{ refusals, kinds },
      shown: (refusal, messages) => ({ refusal, sender: describeSender(refusal, messages) }),
      before: (messages) =>
        checklistView(
          observations,
          messages,
          application.own && !application.suspended ? applicationUrl(clientId, 'integrate') : undefined,
        ),
    });
  });

  area.get(`${APIS_URL}/:api_id/diagnostics`, async (request, reply) => {
    const api = await findVisibleApi(database, signedInUser(request).userId, apiIdOf(request));
    if (api === undefined) throw notFound();
    const filter = await readFilter(request);
    const refusals = await listApiRefusals(database, api.apiId, filter);
    const kinds = await listApiRefusalKinds(database, api.apiId);
    return sendDiagnosticsPage(reply, api, filter, { refusals, kinds, shown: describeApiRefusal });
  });

  /**
   * Flushes buffered diagnostics because the incident may be recent. Ignores malformed values. An incident
   * code overrides all other filters.
   */
  async function readFilter(request: FastifyRequest): Promise<RefusalFilter> {
    await services.diagnostics.flush();
    const query = readQuery(request);
    const incident = normalizeIncidentCode(query.get('incident'));
    if (incident !== undefined) return { incident };
    const readFilterValue = (name: string) => /^[a-z_]{1,50}$/.exec(query.get(name) ?? '')?.[0];
    return { kind: readFilterValue('reason'), endpoint: readFilterValue('endpoint') };
  }
}

function sendDiagnosticsPage<Row extends RefusalRow>(
  reply: FastifyReply,
  clientOrApi: VisibleClient | VisibleApi,
  filter: RefusalFilter,
  content: {
    refusals: readonly Row[];
    kinds: readonly RefusalKindRow[];
    shown: (refusal: Row, messages: Messages) => RefusalEntry;
    before?: (messages: Messages) => Html;
  },
): FastifyReply {
  const { kinds } = content;
  const pageTitle = (messages: Messages) =>
    messages.diagnostics.title(
      'apiId' in clientOrApi ? clientOrApi.name : clientDisplayName(clientOrApi, messages),
    );
  return reply.page({
    title: pageTitle,
    showsSupportContact: content.refusals.length > 0,
    main: (messages) => {
      const refusals = content.refusals.map((refusal) => ({
        ...content.shown(refusal, messages),
        fix: fixLink(clientOrApi, refusal.kind, messages),
      }));
      const text = 'apiId' in clientOrApi ? messages.apiAccess.diagnostics : messages.diagnostics;
      const here = clientOrApiUrl(clientOrApi, 'diagnostics');
      return html`${viewerNavigation(messages, clientOrApi, 'diagnostics')}
<h1>${pageTitle(messages)}</h1>
${filter.incident === undefined && content.before?.(messages)}
${refusedRequestsView({ messages, refusals, kinds, filter, text, here })}`;
    },
  });
}

type Fixes = Partial<Record<DiagnosticKind, [page: ConsolePage, anchor?: string]>>;

const SECRET_FIXES: Fixes = {
  secret_checksum_invalid: ['secrets'],
  secret_expired: ['secrets'],
  secret_prefix_invalid: ['secrets'],
  secret_truncated: ['secrets'],
  secret_unknown: ['secrets'],
};

/** For each kind of rejection, the page and field where the owner can fix the cause. */
const CLIENT_FIXES: Fixes = {
  ...SECRET_FIXES,
  redirect_uri_unregistered: ['edit', '#redirect_uris'],
  scope_not_registered: ['edit', '#scopes'],
  logout_redirect_uri_unregistered: ['sign-out'],
  pushed_request_required: ['protocol'],
  device_flow_disabled: ['protocol'],
  client_credentials_disabled: ['apis'],
  scope_beyond_api_grant: ['apis'],
};

const API_FIXES: Fixes = {
  ...SECRET_FIXES,
  resource_not_open_to_client: ['edit', '#allowed_clients'],
  resource_blocks_client: ['access'],
  client_credentials_disabled: ['requests'],
  scope_beyond_api_grant: ['requests'],
  scope_not_of_api: ['scopes'],
};

function fixLink(
  clientOrApi: VisibleClient | VisibleApi,
  kind: string,
  messages: Messages,
): Html | undefined {
  const fixes: Partial<Record<string, [ConsolePage, string?]>> =
    'apiId' in clientOrApi ? API_FIXES : CLIENT_FIXES;
  const fix = Object.hasOwn(fixes, kind) ? fixes[kind] : undefined;
  if (fix === undefined || !clientOrApi.own) return undefined;
  const [page, anchor] = fix;
  return pageLink(clientOrApi, page, messages, anchor);
}

type Sender = RefusalEntry['sender'];

const ICON_SIZE = 18;

function describeSender(
  { authenticated, hasCredential }: RefusalRow,
  { diagnostics: text }: Messages,
): Sender {
  const { senders } = text;
  if (authenticated)
    return {
      icon: icon('app-window', ICON_SIZE),
      name: senders.application,
      description: text.fromApplication,
    };
  return hasCredential
    ? { icon: icon('key-round', ICON_SIZE), name: senders.holder, description: text.fromHolder }
    : { icon: icon('globe', ICON_SIZE), name: senders.anyone, description: text.fromAnyone };
}

function describeApiRefusal(refusal: ApiRefusalRow, messages: Messages): RefusalEntry {
  const text = messages.apiAccess.diagnostics;
  const { clientId, clientName, agent, redirectUris, authenticated, hasCredential, kind } = refusal;
  const sender = describeSender(refusal, messages);
  if (clientId === null) {
    if (authenticated)
      return {
        refusal,
        sender: { icon: icon('server', ICON_SIZE), name: text.senders.api, description: text.fromApi },
      };
    return {
      refusal,
      sender: hasCredential ? { ...sender, name: text.senders.holder, description: text.fromHolder } : sender,
    };
  }
  const client = {
    clientId,
    name: clientName ?? clientId,
    agent,
    redirectUris: redirectUris ?? [],
    logo: refusal.logo,
  };
  return {
    refusal,
    sender: {
      icon: agent ? icon('bot', ICON_SIZE) : logo(client, ICON_SIZE),
      name: html`<bdi>${apiClientName(client)}</bdi>`,
      description: sender.description,
    },
    explanation: Object.hasOwn(text.about, kind) ? text.about[kind] : undefined,
    clientRow: html`<div><dt>${agent ? text.agent : text.application}</dt><dd>${clientSummary(client, messages)}${!authenticated && html` ${tag(sender.description)}`}</dd></div>`,
  };
}
