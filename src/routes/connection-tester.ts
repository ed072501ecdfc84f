// GET /connection-tester.json: the connection tester's metadata document (CIMD).
import type { FastifyInstance } from 'fastify';
import type { Services } from '../http/services.ts';
import { buildTestClientMetadata, TEST_METADATA_PATH } from '../oauth/connection-test-client.ts';

export function connectionTesterRoute(app: FastifyInstance, { config }: Services): void {
  const document = JSON.stringify(buildTestClientMetadata(config));
  app.get(TEST_METADATA_PATH, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=86400')
      .type('application/json; charset=utf-8')
      .send(document),
  );
}
