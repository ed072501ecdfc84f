// GET /console/operations: how the service is doing.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { COUNTED, countEverything } from '../../store/counts.ts';
import { listEvents } from '../../store/events.ts';
import { readPreview } from './activity.ts';
import { OPERATIONS } from './frame-view.ts';
import { overviewView } from './overview-view.ts';

const LATEST = 10;

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export function overviewPage(area: FastifyInstance, parts: Parts): void {
  const { database, config, pruning } = parts;

  area.get(OPERATIONS, async (_request, reply) => {
    const [preview, counts, events] = await Promise.all([
      readPreview(parts),
      countEverything(database, parts.now()),
      listEvents(database, {}, { limit: LATEST }),
    ]);
    return reply.page({
      title: (messages) => messages.operations.overview,
      main: (messages) =>
        overviewView({
          messages,
          preview,
          counts,
          counted: COUNTED,
          liveGrants: pruning.liveGrants,
          version,
          baseUrl: config.baseUrl,
          signUpOpen: config.signUp === 'open',
          events,
        }),
    });
  });
}
