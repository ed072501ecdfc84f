// POST /oauth/token (RFC 6749 §3.2): exchange of a code, renewal.
import type { FastifyInstance } from 'fastify';
import { exchange } from '../grants/index.ts';
import type { GrantParts } from '../grants/parts.ts';
import { noteTokenRequest } from '../http/diagnostics.ts';
import { formOf, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';

export function tokenRoute(app: FastifyInstance, parts: Parts, grantParts: GrantParts): void {
  app.post('/oauth/token', { preHandler: requireForm }, async (request, reply) => {
    const response = await exchange(grantParts, formOf(request), request.headers.authorization, parts.now());
    noteTokenRequest(request, parts);
    return reply
      .header('pragma', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(response));
  });
}
