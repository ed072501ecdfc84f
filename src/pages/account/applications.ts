// GET /account/applications, POST /account/applications/withdraw: what a person shares, and taking it back (D28).
import type { FastifyInstance } from 'fastify';
import { withdraw } from '../../accounts/agreement.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { agentHost } from '../../oauth/agent-document.ts';
import { parameterMissing } from '../../oauth/errors.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { parseScope } from '../../oauth/scopes.ts';
import { type ConsentRow, type GivenConsent, listConsents, listGivenConsents } from '../../store/consents.ts';
import { type DisclosureRow, listDisclosures } from '../../store/usage.ts';
import { doneOf } from '../../web/faults.ts';
import { calledById } from '../../web/html/client-by-id.ts';
import { memberOf } from '../../web/member.ts';
import { applicationsView } from './applications-view.ts';

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
      connected(consent, given.get(consent.clientId) ?? [], received.get(consent.clientId) ?? []),
    );
    const [agents = [], applications = []] = [true, false].map((agent) =>
      all.filter((one) => (one.agent !== undefined) === agent),
    );
    for (const { clientId } of consents) received.delete(clientId);
    return reply.page({
      title: (messages) => messages.account.applications.title,
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

const connected = (consent: ConsentRow, given: GivenConsent[], received: DisclosureRow[]) => {
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
