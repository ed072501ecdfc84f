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
import { openApplicationLink } from './open-link.ts';

const PATH = '/account/applications';

export function connectedApplicationsPage(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(PATH, async (request, reply) => {
    const user = signedInUser(request);
    const [consents, disclosures] = await Promise.all([
      listConsents(database, user.userId),
      listDisclosures(database, user.userId),
    ]);
    const disclosuresByClient = Map.groupBy(disclosures, ({ clientId }) => clientId);
    const connected = consents.map((consent) =>
      toConnectedApplication(consent, disclosuresByClient.get(consent.clientId) ?? []),
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
    path: `${PATH}/withdraw`,
    page: PATH,
    async act(request) {
      const { userId } = signedInUser(request);
      const clientId = readForm(request).get('client_id');
      if (clientId === undefined) throw parameterMissing('client_id');
      // Ignore the result so that a double click also reports success.
      await revokeConsent(database, { userId, clientId, ip: clientNetwork(request) }, services.now());
      return `${PATH}?done=withdrawn`;
    },
  });
}

const toConnectedApplication = (consent: ConsentRow, received: DisclosureRow[]) => {
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

type ConnectedApplication = ReturnType<typeof toConnectedApplication>;
type Disclosure = Pick<DisclosureRow, 'fields' | 'firstAt' | 'lastAt'>;

type ApplicationsView = {
  messages: Messages;
  locale: Locale;
  csrf: string;
  applications: readonly ConnectedApplication[];
  agents: readonly ConnectedApplication[];
  former: readonly { clientId: string; name: string; received: readonly Disclosure[] }[];
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
    : entryList(applications.map((application) => connectedApplicationEntry(application, view)))
}
${
  agents.length > 0 &&
  html`<h2>${text.agents}</h2>
<p>${text.agentsText}</p>
${entryList(agents.map((agent) => connectedApplicationEntry(agent, view)))}`
}
${
  former.length > 0 &&
  html`<details class="disclosure">
<summary>${text.former(former.length)}</summary>
${entryList(former.map((client) => formerApplicationEntry(client, messages)))}
</details>`
}`,
  );
}

const formerApplicationEntry = (
  { received, ...client }: ApplicationsView['former'][number],
  messages: Messages,
): Entry => ({
  picture: logo(client, 36),
  title: html`<h2><bdi>${client.name}</bdi></h2>`,
  text: receivedDataLine(received, messages),
});

function connectedApplicationEntry(
  application: ConnectedApplication,
  { messages, locale, csrf }: ApplicationsView,
): Entry {
  const text = messages.account.applications;
  const { agent, scopes, apis, allowedOn, lastUsedAt, received } = application;
  const name = agent?.host ?? application.name;
  return {
    picture: logo({ ...application, name }, 36),
    title: clientHeading(application, messages),
    text: html`<p class="quiet">${text.allowedOn} ${day(allowedOn, messages)} · ${lastUsedAt === null ? text.neverUsed : html`${text.lastUsed} ${timeAgo(lastUsedAt, messages)}`}</p>
${scopes.length > 0 && html`<p class="tags">${scopes.map((scope) => tag(text.scopes[scope]))}</p>`}
${apis.map((api) => apiAccessLine(api, messages, locale))}
${scopes.length + apis.length === 0 && html`<p>${text.nothingLeft}</p>`}
${receivedDataLine(received, messages)}`,
    end: html`${openApplicationLink(application, messages)}
${form({
  action: '/account/applications/withdraw',
  csrf,
  body: html`${hiddenInput('client_id', application.clientId)}${submitButton({ text: text.withdraw, kind: 'secondary', hiddenText: text.withdrawFrom(name) })}`,
})}`,
  };
}

/** Agents can register any name, so the heading is the host. */
function clientHeading({ name, hosts, agent }: ConnectedApplication, { account, consent }: Messages): Html {
  if (agent === undefined)
    return html`<h2><bdi>${name}</bdi> <span class="quiet host">${hosts.join(', ')}</span></h2>`;
  return html`<h3 class="host">${agent.host}</h3>
<p class="quiet">${consent.agentName} <bdi>${name}</bdi>${!agent.hasDocument && html` · ${account.applications.selfRegistered}`}</p>`;
}

function apiAccessLine(
  { name, identifier, scopes }: ConnectedApplication['apis'][number],
  { account, consent }: Messages,
  locale: Locale,
): Html {
  const { api, sensitive } = account.applications;
  const list = scopes.map(
    (scope, index) =>
      html`${index > 0 && ', '}<bdi>${textIn(scope, locale)}</bdi>${scope.sensitive && html` ${tag(sensitive, 'waiting')}`}`,
  );
  return html`<p>${api} <bdi>${name}</bdi> <span class="quiet host">${new URL(identifier).host}</span>\u00a0· ${scopes.length === 0 ? consent.wholeApi : list}</p>`;
}

function receivedDataLine(received: readonly Disclosure[], messages: Messages): Html {
  const text = messages.account.applications;
  if (received.length === 0) return html`<p class="quiet">${text.nothingReceived}</p>`;
  const labels: Record<string, string> = text.fields;
  const names = new Set(received.flatMap(({ fields }) => fields.map((field) => labels[field] ?? field)));
  const first = new Date(Math.min(...received.map(({ firstAt }) => firstAt.getTime())));
  const last = new Date(Math.max(...received.map(({ lastAt }) => lastAt.getTime())));
  const isOneDay = messages.date(first) === messages.date(last);
  const days = isOneDay
    ? html`${text.on} ${day(last, messages)}`
    : html`${text.from} ${day(first, messages)} ${text.to} ${day(last, messages)}`;
  return html`<p class="quiet">${text.received} ${[...names].join(', ')} (${days})</p>`;
}
