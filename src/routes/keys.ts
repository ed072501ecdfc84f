// GET /.well-known/jwks.json (RFC 7517 §5): the public halves of the signing keys.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.ts';
import { UNCOUNTED } from '../plugins/route-config.ts';

export function keysRoute(app: FastifyInstance, { keys }: Parts): void {
  let document = '';
  let shown: unknown[] = [];
  /** Put together anew only when the keys have been replaced. */
  const current = (): string => {
    const published = Object.values(keys).map(({ publicJwk }) => publicJwk);
    if (published.some((key, index) => key !== shown[index])) document = JSON.stringify({ keys: published });
    shown = published;
    return document;
  };
  app.get('/.well-known/jwks.json', { config: UNCOUNTED, exposeHeadRoute: true }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(current()),
  );
}
