// GET /console/operations/search: everything that a text leads to: accounts, applications, agents, APIs, incident codes, events.
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { readIncidentCode } from '../../http/incident-code.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { networkOf } from '../../http/rate-limit.ts';
import { isUuid, listAccounts } from '../../store/account-lists.ts';
import { listAgentsPage } from '../../store/agent-lists.ts';
import { listApisPage } from '../../store/api-lists.ts';
import { listApplicationsPage } from '../../store/application-lists.ts';
import type { Database } from '../../store/database.ts';
import { type EventFilter, listEvents } from '../../store/events.ts';
import { findIncident } from '../../store/refusals.ts';
import { SEARCH } from './frame-view.ts';
import { SEARCH_MAX } from './list.ts';
import { searchView } from './search-view.ts';

/** Events of an address, or of an account that is gone: the log has the others. */
const EVENTS = 10;

export function searchPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(SEARCH, async (request, reply) => {
    const search = queryOf(request).get('search')?.trim().slice(0, SEARCH_MAX) || undefined;
    const filter = search === undefined ? undefined : filterOf(search);
    // Whoever reads a code out has just seen it.
    if (search !== undefined && readIncidentCode(search) !== undefined) await parts.diagnostics.flush();
    const of = <Found>(find: (database: Database, by: { search: string }) => Promise<Found>) =>
      search === undefined ? undefined : find(database, { search });
    const [accounts, applications, agents, apis, incident, events] = await Promise.all([
      of(listAccounts),
      of(listApplicationsPage),
      of(listAgentsPage),
      of(listApisPage),
      search === undefined ? undefined : incidentOf(search),
      filter === undefined ? [] : listEvents(database, filter, { limit: EVENTS }),
    ]);
    return reply.page({
      title: (messages) => messages.operations.search,
      main: (messages) =>
        searchView({ messages, search, accounts, applications, agents, apis, incident, events, filter }),
    });
  });

  const incidentOf = async (search: string) => {
    const code = readIncidentCode(search);
    return code === undefined ? undefined : { code, found: await findIncident(database, code) };
  };
}

/** The events that a text names by itself: those of an address, or about an account, which may be gone. */
function filterOf(search: string): EventFilter | undefined {
  // Addresses are remembered as they are counted: of IPv6 the network.
  if (isIP(search) !== 0) return { address: isIP(search) === 6 ? networkOf(search) : search };
  return isUuid(search) ? { userId: search } : undefined;
}
