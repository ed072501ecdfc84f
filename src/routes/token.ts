// POST /oauth/token (RFC 6749 §3.2): exchange of a code, renewal.
import type { FastifyInstance } from 'fastify';
import { exchange, requiredParameters } from '../grants/index.ts';
import { noteTokenRequest } from '../http/diagnostics.ts';
import { machineRoute } from '../http/machine-route.ts';
import type { Parts } from '../http/parts.ts';

export function tokenRoute(app: FastifyInstance, parts: Parts): void {
  machineRoute(app, parts, '/oauth/token', {
    diagnostics: 'token',
    cors: true,
    required: requiredParameters,
    authentication: 'within',
    answer: async ({ request, form, credentials, now }) => {
      const response = await exchange(parts, form, credentials, now);
      noteTokenRequest(request, parts);
      return response;
    },
  });
}
