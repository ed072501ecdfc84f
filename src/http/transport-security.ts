// HTTPS requirement, TLS settings and security headers.
import type { TlsOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { invalidRequest } from '../oauth/errors.ts';
import { PageError } from './page-error.ts';

/** Health checks may use plain HTTP. `request.protocol` honors X-Forwarded-Proto from trusted proxies. */
export function requireHttps(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.protocol === 'https' || request.routeOptions.config.healthCheck === true) return done();
    done(
      new PageError(
        'httpsRequired',
        invalidRequest('Use https:// to call this service.', { kind: 'https_required' }),
      ),
    );
  });
}

const HSTS_MAX_AGE = 63_072_000;

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // With `no-referrer`, browsers would send form POSTs with `Origin: null`.
  'referrer-policy': 'same-origin',
};

export function setSecurityHeaders(app: FastifyInstance, { secure }: { secure: boolean }): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    // Browsers ignore HSTS on plain HTTP (RFC 6797 §8.1).
    if (secure && request.protocol === 'https')
      reply.header('strict-transport-security', `max-age=${HSTS_MAX_AGE}`);
    done();
  });
}

/** TLS 1.3, and TLS 1.2 with forward secrecy and AEAD (RFC 9325 §4.2). */
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
