// GET /.well-known/jwks.json (RFC 7517 §5): the public signing keys.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../http/services.ts';

export function jwksRoute(app: FastifyInstance, { keys }: Pick<Services, 'keys'>): void {
  let document = '';
  let serializedKeys: unknown;
  const getCurrentDocument = (): string => {
    if (keys.published !== serializedKeys)
      document = JSON.stringify({ keys: keys.published.map(({ publicJwk }) => publicJwk) });
    serializedKeys = keys.published;
    return document;
  };
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(getCurrentDocument()),
  );
}
