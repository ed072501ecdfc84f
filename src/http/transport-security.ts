// HTTPS only, TLS settings, and the security headers of every response.

import type { TlsOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { invalidRequest } from '../oauth/errors.ts';
import { PageFault } from './failures.ts';

/** Refuses plain requests; `request.protocol` believes a trusted proxy only. Health addresses are for the neighbours. */
export function httpsOnly(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.protocol === 'https' || request.routeOptions.config.health === true) return done();
    done(
      new PageFault(
        'httpsRequired',
        invalidRequest('Use https:// to call this service.', { kind: 'https_required' }),
      ),
    );
  });
}

const TWO_YEARS = 63_072_000;

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // `no-referrer` would make browsers send form POSTs with `Origin: null`.
  'referrer-policy': 'same-origin',
};

/** @param secure whether the public address is https, which browsers are then told to insist on */
export function securityHeaders(app: FastifyInstance, { secure }: { secure: boolean }): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS);
    // HSTS counts only where it came over HTTPS, and a refusal of plain http says nothing else (D26).
    if (secure && request.protocol === 'https')
      reply.header('strict-transport-security', `max-age=${TWO_YEARS}`);
    done();
  });
}

/**
 * TLS 1.3, and of TLS 1.2 what keeps a recorded connection secret for ever and is not open to padding oracles: ephemeral
 * keys with AES-GCM or ChaCha20 (§4.2). Never a key exchange by RSA, never CBC (§4.1).
 */
export const TLS_SETTINGS: TlsOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
};
