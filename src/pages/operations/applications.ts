// GET /console/operations/applications and /applications/:clientId: all applications, and one of them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { isClientIdShaped } from '../../oauth/secrets.ts';
import {
  type ApplicationRow,
  type ApplicationState,
  findApplication,
  listApplicationsPage,
} from '../../store/application-lists.ts';
import { listEvents } from '../../store/events.ts';
import type { ApplicationAction } from '../../store/moderation.ts';
import { applicationsView, applicationView } from './applications-view.ts';
import { APPLICATIONS } from './frame-view.ts';
import { askedOf } from './list.ts';

const LATEST_EVENTS = 20;
const STATES: readonly ApplicationState[] = ['suspended', 'verified', 'unverified'];

export function applicationPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(APPLICATIONS, async (request, reply) => {
    const asked = askedOf(request, STATES, isClientIdShaped);
    const found = await listApplicationsPage(database, asked);
    return reply.page({
      title: (messages) => messages.operations.applications,
      main: (messages) => applicationsView({ messages, asked, found }),
    });
  });

  area.get(`${APPLICATIONS}/:clientId`, async (request, reply) => {
    const application = await applicationOf(request, parts);
    const { clientId } = application;
    const events = await listEvents(database, { clientId }, { limit: LATEST_EVENTS });
    const done = queryOf(request).get('done');
    return reply.page({
      title: () => application.name,
      main: (messages) =>
        applicationView({
          messages,
          application,
          actions: applicationActionsFor(application),
          events,
          notice: actionsAfter(application).find((action) => action === done)
            ? messages.operations.applicationActions[done as ApplicationAction].done
            : undefined,
        }),
    });
  });
}

export async function applicationOf(request: FastifyRequest, parts: Parts): Promise<ApplicationRow> {
  const { clientId } = request.params as { clientId: string };
  const application = isClientIdShaped(clientId)
    ? await findApplication(parts.database, clientId)
    : undefined;
  if (application === undefined) throw notFound();
  return application;
}

/** What an operator can do about an application as it is. */
export const applicationActionsFor = ({ verifiedAt, suspendedAt }: ApplicationRow): ApplicationAction[] => [
  verifiedAt === null ? 'verify' : 'unverify',
  suspendedAt === null ? 'suspend' : 'unsuspend',
];

/** What may have been done to an application that is as it is. */
const actionsAfter = ({ verifiedAt, suspendedAt }: ApplicationRow): ApplicationAction[] => [
  verifiedAt === null ? 'unverify' : 'verify',
  suspendedAt === null ? 'unsuspend' : 'suspend',
];
