// /account/applications: lists the clients with access to the account, and revokes their access.
import type { FastifyInstance } from 'fastify';
import { revokeConsent } from '../../accounts/consent.ts';
import { readForm } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { textIn } from '../../oauth/api.ts';
import { getMetadataHost } from '../../oauth/client-metadata.ts';
import { parameterMissing } from '../../oauth/errors.ts';
import { getRedirectUriHost } from '../../oauth/redirect-uri.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { type ConsentRow, listConsents } from '../../store/consents.ts';
import { type DisclosureRow, listDisclosures } from '../../store/usage-records.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { clientDisplayName } from '../../web/html/client-display.ts';
import { type Entry, entryList } from '../../web/html/entry-list.ts';
import { hiddenInput } from '../../web/html/fields.ts';
import { form } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { notice } from '../../web/html/notices.ts';
import { logo } from '../../web/html/pictures.ts';
import { tag } from '../../web/html/tag.ts';
import { day, timeAgo } from '../../web/html/time.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { openLink } from './open-link.ts';

const PAGE = '/account/applications';

export function connectedApplicationsPage(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(PAGE, async (request, reply) => {
    const user = signedInUser(request);
    const [consents, disclosures] = await Promise.all([
      listConsents(database, user.userId),
      listDisclosures(database, user.userId),
    ]);
    const disclosuresByClient = Map.groupBy(disclosures, ({ clientId }) => clientId);
    const connected = consents.map((consent) =>
      connectedOf(consent, disclosuresByClient.get(consent.clientId) ?? []),
    );
    const [agents = [], applications = []] = [true, false].map((agent) =>
      connected.filter((one) => (one.agent !== undefined) === agent),
    );
    for (const { clientId } of consents) disclosuresByClient.delete(clientId);
    return reply.page({
      title: (messages) => messages.account.navigation.applications,
      main: (messages, locale) =>
        applicationsView({
          messages,
          locale,
          csrf: user.csrf,
          applications,
          agents,
          former: [...disclosuresByClient].map(([clientId, rows]) => ({
            clientId,
            name: clientDisplayName({ clientId, name: rows[0]?.clientName ?? '' }, messages),
            received: rows,
          })),
          notice: doneMessage(request, { withdrawn: messages.account.applications.withdrawn }),
        }),
    });
  });

  area.embeddedForm({
    path: `${PAGE}/withdraw`,
    page: PAGE,
    async act(request) {
      const { userId } = signedInUser(request);
      const clientId = readForm(request).get('client_id');
      if (clientId === undefined) throw parameterMissing('client_id');
      // Ignores the result so that a repeated submission, for example after a double click, also reports success.
      await revokeConsent(database, { userId, clientId, ip: clientNetwork(request) }, services.now());
      return `${PAGE}?done=withdrawn`;
    },
  });
}

const connectedOf = (consent: ConsentRow, received: DisclosureRow[]) => {
  const hosts = [...new Set(consent.redirectUris.map(getRedirectUriHost))];
  const metadataHost = getMetadataHost(consent.clientId);
  return {
    clientId: consent.clientId,
    name: consent.clientName,
    logo: consent.logo,
    homePage: consent.homePage,
    hosts,
    agent: consent.agent
      ? { host: metadataHost ?? hosts.join(', '), hasDocument: metadataHost !== undefined }
      : undefined,
    scopes: parseScope(consent.scopes.join(' ')),
    apis: consent.apis,
    allowedOn: consent.grantedAt,
    lastUsedAt: consent.lastUsedAt,
    received,
  };
};

type ConnectedApplication = ReturnType<typeof connectedOf>;
type Received = Pick<DisclosureRow, 'fields' | 'firstAt' | 'lastAt' | 'times'>;

type ApplicationsView = {
  messages: Messages;
  locale: Locale;
  csrf: string;
  applications: readonly ConnectedApplication[];
  agents: readonly ConnectedApplication[];
  former: readonly { clientId: string; name: string; received: readonly Received[] }[];
  notice?: string | undefined;
};

function applicationsView(view: ApplicationsView): Html {
  const { messages, applications, agents, former } = view;
  const text = messages.account.applications;
  return accountLayout(
    messages,
    'applications',
    html`${notice(view.notice)}
<h1>${messages.account.navigation.applications}</h1>
<p class="lead">${text.lead}</p>
${
  applications.length === 0
    ? html`<p class="quiet">${text.none}</p>`
    : entryList(applications.map((application) => connectedEntry(application, view)))
}
${
  agents.length > 0 &&
  html`<h2>${text.agents}</h2>
<p>${text.agentsText}</p>
${entryList(agents.map((agent) => connectedEntry(agent, view)))}`
}
${
  former.length > 0 &&
  html`<h2>${text.former}</h2>
${entryList(former.map((client) => formerEntry(client, messages)))}`
}`,
  );
}

function formerEntry({ received, ...client }: ApplicationsView['former'][number], messages: Messages): Entry {
  const text = messages.account.applications;
  return {
    picture: logo(client, 36),
    title: html`<h3><bdi>${client.name}</bdi></h3>`,
    details: html`<details>
<summary>${text.received}<span class="visually-hidden"> (${client.name})</span></summary>
${receivedList(received, messages)}
</details>`,
  };
}

function connectedEntry(
  application: ConnectedApplication,
  { messages, locale, csrf }: ApplicationsView,
): Entry {
  const text = messages.account.applications;
  const { agent, apis, allowedOn, lastUsedAt, received } = application;
  const name = agent?.host ?? application.name;
  return {
    picture: logo({ ...application, name }, 36),
    title: clientHeading(application, messages),
    text: html`<p class="quiet">${text.allowedOn} ${day(allowedOn, messages)} · ${lastUsedAt === null ? text.neverUsed : html`${text.lastUsed} ${timeAgo(lastUsedAt, messages)}`}</p>
${accessTags(application, messages)}`,
    end: html`${openLink(application, messages)}
${form({
  action: '/account/applications/withdraw',
  csrf,
  body: html`${hiddenInput('client_id', application.clientId)}${submitButton({ text: text.withdraw, kind: 'secondary', hiddenText: text.withdrawFrom(name) })}`,
})}`,
    details: html`<details>
<summary>${text.details}<span class="visually-hidden"> (${name})</span></summary>
<dl class="facts">
${apis.map((api) => html`<div><dt>${text.api} <bdi>${api.name}</bdi></dt><dd>${apiScopes(api, locale, text, messages.consent.wholeApi)}</dd></div>`)}
<div><dt>${text.received}</dt><dd>${received.length === 0 ? text.nothingReceived : receivedList(received, messages)}</dd></div>
</dl>
</details>`,
  };
}

function accessTags({ scopes, apis }: ConnectedApplication, { account }: Messages): Html {
  const text = account.applications;
  if (scopes.length + apis.length === 0) return html`<p>${text.nothingLeft}</p>`;
  return html`<p class="tags">${scopes.map((scope) => tag(text.scopes[scope]))}${apis.map(
    ({ name, scopes: apiScopes }) =>
      html`${tag(html`${text.api} <bdi>${name}</bdi>`)}${apiScopes.some(({ sensitive }) => sensitive) && tag(text.sensitive, 'waiting')}`,
  )}</p>`;
}

/** For agents, the heading is the host because agents can register any name. */
function clientHeading({ name, hosts, agent }: ConnectedApplication, { account, consent }: Messages): Html {
  if (agent === undefined)
    return html`<h2><bdi>${name}</bdi> <span class="quiet host">${hosts.join(', ')}</span></h2>`;
  return html`<h3 class="host">${agent.host}</h3>
<p class="quiet">${consent.agentName} <bdi>${name}</bdi>${!agent.hasDocument && html` · ${account.applications.selfRegistered}`}</p>`;
}

const apiScopes = (
  { identifier, scopes }: ConnectedApplication['apis'][number],
  locale: Locale,
  text: Messages['account']['applications'],
  wholeApi: string,
): Html => html`<p class="quiet host">${new URL(identifier).host}</p>
${scopes.length === 0 && html`<p>${wholeApi}</p>`}
<ul class="lines">
${scopes.map(
  (
    scope,
  ) => html`<li><bdi>${textIn(scope, locale)}</bdi> ${scope.sensitive && tag(text.sensitive, 'waiting')}</li>
`,
)}</ul>`;

function receivedList(received: readonly Received[], messages: Messages): Html {
  return html`<ul class="lines">
${received.map(
  (
    one,
  ) => html`<li>${fieldNames(one.fields, messages)} <span class="quiet">(${usageDates(one, messages)})</span></li>
`,
)}</ul>`;
}

function fieldNames(fields: readonly string[], messages: Messages): string {
  const labels: Record<string, string> = messages.account.applications.fields;
  return fields.map((field) => labels[field] ?? field).join(', ');
}

function usageDates({ firstAt, lastAt, times }: Received, messages: Messages): string {
  const text = messages.account.applications;
  const [first, last] = [messages.date(firstAt), messages.date(lastAt)];
  if (times === 1) return text.once(last);
  return first === last ? text.oftenOneDay(times, last) : text.often(times, first, last);
}
