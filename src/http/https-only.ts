// HTTPS only in production: whatever did not arrive by it gets one answer and nothing else (D26).
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
