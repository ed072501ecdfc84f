// GET /connection-tester.json: the document by which the connection tester is known, as that of any other agent (D54).
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../http/parts.ts';
import { TESTER_DOCUMENT, testerDocument } from '../oauth/connection-tester.ts';

export function connectionTesterRoute(app: FastifyInstance, { config }: Parts): void {
  const document = JSON.stringify(testerDocument(config));
  app.get(TESTER_DOCUMENT, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=86400')
      .type('application/json; charset=utf-8')
      .send(document),
  );
}
