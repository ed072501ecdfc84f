// GET /account/applications, POST /account/applications/withdraw: what a person shares, and taking it back (D28).
import type { FastifyInstance } from 'fastify';
import { withdraw } from '../../accounts/agreement.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import type { Locale, Messages } from '../../i18n/index.ts';
import { agentHost } from '../../oauth/agent-document.ts';
import { parameterMissing } from '../../oauth/errors.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { type ConsentRow, listConsents } from '../../store/consents.ts';
import { type GivenConsent, listGivenConsents } from '../../store/sign-ins.ts';
import { type DisclosureRow, listDisclosures } from '../../store/usage.ts';
import { doneOf } from '../../web/faults.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { form, hiddenInput, notice, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { deviceInWords } from '../../web/html/sign-in-words.ts';
import { tag } from '../../web/html/tag.ts';
import { ago, briefMoment, day } from '../../web/html/time.ts';
import { memberOf } from '../../web/member.ts';

const PAGE = '/account/applications';

export function connectedApplicationsPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(PAGE, async (request, reply) => {
    const member = memberOf(request);
    const [consents, givenConsents, disclosures] = await Promise.all([
      listConsents(database, member.userId),
      listGivenConsents(database, member.userId),
      listDisclosures(database, member.userId),
    ]);
    const received = Map.groupBy(disclosures, ({ clientId }) => clientId);
    const given = Map.groupBy(givenConsents, ({ clientId }) => clientId);
    const all = consents.map((consent) =>
      connectedOf(consent, given.get(consent.clientId) ?? [], received.get(consent.clientId) ?? []),
    );
    const [agents = [], applications = []] = [true, false].map((agent) =>
      all.filter((one) => (one.agent !== undefined) === agent),
    );
    for (const { clientId } of consents) received.delete(clientId);
    return reply.page({
      title: (messages) => messages.account.parts.applications,
      main: (messages, locale) =>
        applicationsView({
          messages,
          locale,
          csrf: member.csrf,
          applications,
          agents,
          former: [...received].map(([clientId, rows]) => ({
            name: calledById({ clientId, name: rows[0]?.applicationName ?? '' }, messages),
            received: rows,
          })),
          notice: doneOf(request, { withdrawn: messages.account.applications.withdrawn }),
        }),
    });
  });

  area.formWithin({
    url: `${PAGE}/withdraw`,
    page: PAGE,
    async act(request) {
      const { userId } = memberOf(request);
      const clientId = formOf(request).get('client_id');
      if (clientId === undefined) throw parameterMissing('client_id');
      // Withdrawn already, from another tab or by a second click: what the person asked for is so, and is said.
      await withdraw(database, { userId, clientId, address: addressOf(request) }, parts.now());
      return `${PAGE}?done=withdrawn`;
    },
  });
}

const connectedOf = (consent: ConsentRow, given: GivenConsent[], received: DisclosureRow[]) => {
  const hosts = [...new Set(consent.redirectUris.map(callbackHost))];
  const document = agentHost(consent.clientId);
  return {
    clientId: consent.clientId,
    name: consent.applicationName,
    hosts,
    agent: consent.agent
      ? { host: document ?? hosts.join(', '), hasDocument: document !== undefined }
      : undefined,
    scopes: parseScope(consent.scopes.join(' ')),
    apis: consent.apis,
    allowedOn: consent.grantedAt,
    given,
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
  former: readonly { name: string; received: readonly Received[] }[];
  notice?: string | undefined;
};

function applicationsView(view: ApplicationsView): Html {
  const { messages, applications, agents, former } = view;
  const text = messages.account.applications;
  return accountFrame(
    messages,
    'applications',
    html`${notice(view.notice)}
<h1>${messages.account.parts.applications}</h1>
<p class="lead">${text.lead}</p>
${
  applications.length === 0
    ? html`<p class="quiet">${text.none}</p>`
    : html`<ul class="connected">
${applications.map((application) => connected(application, view))}</ul>`
}
${
  agents.length > 0 &&
  html`<h2>${text.agents}</h2>
<p>${text.agentsText}</p>
<ul class="connected">
${agents.map((agent) => connected(agent, view))}</ul>`
}
${
  former.length > 0 &&
  html`<h2>${text.former}</h2>
<ul class="connected">
${former.map(
  ({ name, received }) => html`<li>
<div class="connected-who"><h3><bdi>${name}</bdi></h3></div>
<dl class="facts">
<div><dt>${text.received}</dt><dd>${receivedList(received, messages)}</dd></div>
</dl>
</li>
`,
)}</ul>`
}`,
  );
}

function connected(application: ConnectedApplication, { messages, locale, csrf }: ApplicationsView): Html {
  const text = messages.account.applications;
  const { name, agent, scopes, apis, allowedOn, given, lastUsedAt, received } = application;
  return html`<li>
${who(application, messages)}
<dl class="facts">
${scopes.length > 0 && html`<div><dt>${text.canRead}</dt><dd class="tags">${scopes.map((scope) => tag(text.scopes[scope]))}</dd></div>`}
${apis.map((api) => html`<div><dt>${text.api} <bdi>${api.name}</bdi></dt><dd>${agreed(api, locale, text, messages.consent.wholeApi)}</dd></div>`)}
${scopes.length + apis.length === 0 && html`<div><dt>${text.canRead}</dt><dd>${text.nothingLeft}</dd></div>`}
<div><dt>${text.allowedOn}</dt><dd>${given.length === 0 ? day(allowedOn, messages) : givenList(given, messages)}</dd></div>
<div><dt>${text.lastUsed}</dt><dd>${lastUsedAt === null ? text.neverUsed : ago(lastUsedAt, messages)}</dd></div>
<div><dt>${text.received}</dt><dd>${received.length === 0 ? text.nothingReceived : receivedList(received, messages)}</dd></div>
</dl>
${form({
  action: '/account/applications/withdraw',
  csrf,
  body: html`${hiddenInput('client_id', application.clientId)}${submitButton({ text: text.withdraw, kind: 'secondary', unseen: text.withdrawFrom(agent?.host ?? name) })}`,
})}
</li>
`;
}

/** An application by its name, with where its callbacks lead; an agent by its host, and what it calls itself after that. */
function who({ name, hosts, agent }: ConnectedApplication, { account, consent }: Messages): Html {
  if (agent === undefined)
    return html`<div class="connected-who">
<h2><bdi>${name}</bdi></h2>
<p class="quiet host">${hosts.join(', ')}</p>
</div>`;
  return html`<div class="connected-who">
<h3 class="host">${agent.host}</h3>
<p class="quiet">${consent.agentName} <bdi>${name}</bdi>${!agent.hasDocument && html` · ${account.applications.selfRegistered}`}</p>
</div>`;
}

const agreed = (
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
  ) => html`<li><bdi>${scope[locale] || scope.fr || scope.en}</bdi> ${scope.sensitive && tag(text.sensitive, 'waiting')}</li>
`,
)}</ul>`;

const givenList = (given: ConnectedApplication['given'], messages: Messages): Html =>
  html`<ul class="lines">
${given.map(
  ({ at, address, ...device }) =>
    html`<li>${briefMoment(at, messages)} <span class="quiet">${deviceInWords(device, messages)}${address !== null && html`, ${address}`}</span></li>
`,
)}</ul>`;

function receivedList(received: readonly Received[], messages: Messages): Html {
  return html`<ul class="lines">
${received.map(
  (
    one,
  ) => html`<li>${fieldNames(one.fields, messages)} <span class="quiet">(${when(one, messages)})</span></li>
`,
)}</ul>`;
}

/** The claims in words; one without a word of its own is named as the application knows it. */
function fieldNames(fields: readonly string[], messages: Messages): string {
  const words: Record<string, string> = messages.account.applications.fields;
  return fields.map((field) => words[field] ?? field).join(', ');
}

function when({ firstAt, lastAt, times }: Received, messages: Messages): string {
  const text = messages.account.applications;
  const [first, last] = [messages.date(firstAt), messages.date(lastAt)];
  if (times === 1) return text.once(last);
  return first === last ? text.oftenOneDay(times, last) : text.often(times, first, last);
}
