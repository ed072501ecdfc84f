// GET /.well-known/jwks.json (RFC 7517 §5): the public halves of the signing keys.
import type { FastifyInstance } from 'fastify';
import { noteKeysFetched } from '../http/diagnostics.ts';
import type { Parts } from '../http/parts.ts';

export function keysRoute(app: FastifyInstance, parts: Parts): void {
  const { keys } = parts;
  let document = '';
  let shown: unknown;
  /** Put together anew only when the keys have been replaced. */
  const current = (): string => {
    if (keys.published !== shown)
      document = JSON.stringify({ keys: keys.published.map(({ publicJwk }) => publicJwk) });
    shown = keys.published;
    return document;
  };
  app.get('/.well-known/jwks.json', async (request, reply) => {
    noteKeysFetched(request, parts);
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(current());
  });
}
