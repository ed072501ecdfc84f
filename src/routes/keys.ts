// GET /.well-known/jwks.json (RFC 7517 §5): the public halves of the signing keys.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../http/parts.ts';

export function keysRoute(app: FastifyInstance, { keys }: Pick<Parts, 'keys'>): void {
  let document = '';
  let shown: unknown;
  /** Put together anew only when the keys have been replaced. */
  const current = (): string => {
    if (keys.published !== shown)
      document = JSON.stringify({ keys: keys.published.map(({ publicJwk }) => publicJwk) });
    shown = keys.published;
    return document;
  };
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(current()),
  );
}
