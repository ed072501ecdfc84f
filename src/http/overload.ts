// Past its capacity the service says so at once, instead of letting everybody wait until nobody is served.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from '../oauth/errors.ts';

/**
 * Requests of one method that one address works on at a time, in one process. A core answers some thousand a second, so
 * the last of them waits about half a second. Each has its own count: what piles up at one (forms that wait for a lock)
 * does not shut the others, nor the page that the form is on.
 */
const AT_A_TIME = 500;

/** What a request that is worked on counts for. */
interface Place {
  leave(): void;
  take(): void;
}
declare module 'fastify' {
  interface FastifyRequest {
    place: Place | undefined;
  }
}

/**
 * Answers 503 with Retry-After once an address is busy with as much as it can do. Requests count when their body has
 * arrived: peers that are slow to send one take no place. Health addresses are always answered.
 */
export function overloadGuard(app: FastifyInstance, atATime = AT_A_TIME): void {
  app.decorateRequest('place', undefined);
  const working = new Map<string, number>();
  const placeOf = ({ method, routeOptions }: FastifyRequest) =>
    `${method} ${routeOptions.url ?? 'unmatched'}`;
  const isFull = (request: FastifyRequest) =>
    (working.get(placeOf(request)) ?? 0) >= atATime && routeIsGuarded(request);

  // Looked at before the body is read, too: refusing has to be cheaper than serving.
  app.addHook('onRequest', (request, _reply, done) => done(isFull(request) ? overloaded(2) : undefined));
  app.addHook('preHandler', (request, reply, done) => {
    if (isFull(request)) return done(overloaded(2));
    const name = placeOf(request);
    let here = false;
    let ended = false;
    const move = (to: boolean) => {
      if (here !== to) working.set(name, (working.get(name) ?? 0) + (to ? 1 : -1));
      here = to;
    };
    const place: Place = { leave: () => move(false), take: () => move(!ended) };
    place.take();
    request.place = place;
    // However it ends: a peer that hangs up gets no onResponse.
    reply.raw.once('close', () => {
      ended = true;
      place.leave();
    });
    done();
  });
}

/** Waits for something that is no work: meanwhile the request takes no place from others. */
export async function aside<Result>(request: FastifyRequest, wait: () => Promise<Result>): Promise<Result> {
  request.place?.leave();
  try {
    return await wait();
  } finally {
    request.place?.take();
  }
}

const routeIsGuarded = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.health !== true;
