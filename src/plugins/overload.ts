// Past its capacity the service says so at once, instead of letting everybody wait until nobody is served.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from '../oauth/errors.ts';

/**
 * Requests that one address works on at a time, in one process. A core answers some thousand a second, so the last
 * of them waits about half a second. Each address has its own count: what piles up at one (sign-ins that are slowed
 * down, pages that wait for a lock) does not shut the others.
 */
const AT_A_TIME = 500;

/**
 * Answers 503 with Retry-After once an address is busy with as much as it can do. Requests count when their body has
 * arrived: peers that are slow to send one take no place. Health addresses are always answered.
 */
export function overloadGuard(app: FastifyInstance, atATime = AT_A_TIME): void {
  const working = new Map<string, number>();
  const placeOf = ({ routeOptions }: FastifyRequest) => routeOptions.url ?? 'unmatched';
  const isFull = (request: FastifyRequest) =>
    (working.get(placeOf(request)) ?? 0) >= atATime && routeIsGuarded(request);

  // Looked at before the body is read, too: refusing has to be cheaper than serving.
  app.addHook('onRequest', (request, _reply, done) => done(isFull(request) ? overloaded(2) : undefined));
  app.addHook('preHandler', (request, reply, done) => {
    if (isFull(request)) return done(overloaded(2));
    const place = placeOf(request);
    working.set(place, (working.get(place) ?? 0) + 1);
    // However it ends: a peer that hangs up gets no onResponse.
    reply.raw.once('close', () => working.set(place, (working.get(place) ?? 1) - 1));
    done();
  });
}

const routeIsGuarded = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.health !== true;
