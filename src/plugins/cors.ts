// CORS, without credentials, for the addresses that a browser application calls by script (D29). Never for pages.
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const SHARED = new Set([
  '/oauth/token',
  '/oauth/token/revoke',
  '/oauth/userinfo',
  '/.well-known/openid-configuration',
  '/.well-known/jwks.json',
]);

const OPEN = {
  origin: '*',
  methods: ['GET', 'POST'],
  exposedHeaders: ['www-authenticate', 'retry-after'],
  maxAge: 7200,
  strictPreflight: false, // its refusal has a body of its own (D10); OPTIONS without an Origin is no fault
};
const CLOSED = { origin: false };

/** Registers CORS; headers and preflights are answered for these addresses only, also where they refuse. */
export async function corsForMachines(app: FastifyInstance): Promise<void> {
  await app.register(cors, {
    delegator: (request, done) => done(null, SHARED.has(request.url.split('?', 1)[0] ?? '') ? OPEN : CLOSED),
  });
}
