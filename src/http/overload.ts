// Load shedding: responds with 503 while a route has too many requests in flight.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from '../oauth/errors.ts';
import type { OutsideOverloadLimit } from '../outgoing/guarded-request.ts';

/**
 * Maximum number of requests in flight per route and method, in one process. One core serves about 1,000 requests per
 * second, so the last of 500 requests waits half a second. Each method has separate slots, so that a page still loads
 * while its form submissions are stuck.
 */
const SLOTS = 500;

interface Slot {
  release(): void;
  take(): void;
}
declare module 'fastify' {
  interface FastifyRequest {
    slot: Slot | undefined;
  }
}

/**
 * Responds with 503 and Retry-After while all slots of a route are taken. A request takes a slot only after its body has
 * arrived, so slow senders don't occupy slots. Health checks are exempt.
 */
export function shedLoad(app: FastifyInstance, slots = SLOTS): void {
  app.decorateRequest('slot', undefined);
  const taken = new Map<string, number>();
  const routeOf = ({ method, routeOptions }: FastifyRequest) =>
    `${method} ${routeOptions.url ?? 'unmatched'}`;
  const isFull = (request: FastifyRequest) =>
    (taken.get(routeOf(request)) ?? 0) >= slots && !isHealthCheck(request);

  // The limit is also checked before the body is read, because refusing a request must cost less than serving it.
  app.addHook('onRequest', (request, _reply, done) => done(isFull(request) ? overloaded(2) : undefined));
  app.addHook('preHandler', (request, reply, done) => {
    if (isFull(request)) return done(overloaded(2));
    const route = routeOf(request);
    let held = false;
    let closed = false;
    const setHeld = (value: boolean) => {
      if (held !== value) taken.set(route, (taken.get(route) ?? 0) + (value ? 1 : -1));
      held = value;
    };
    const slot: Slot = { release: () => setHeld(false), take: () => setHeld(!closed) };
    slot.take();
    request.slot = slot;
    // Listens for 'close', because onResponse isn't called when the client disconnects.
    reply.raw.once('close', () => {
      closed = true;
      slot.release();
    });
    done();
  });
}

/**
 * Releases the request's slot while `wait` runs.
 * @param wait receives proof that the slot is released. Outgoing requests require this proof.
 */
export async function withoutSlot<Result>(
  request: Pick<FastifyRequest, 'slot'>,
  wait: (offSlot: OutsideOverloadLimit) => Promise<Result>,
): Promise<Result> {
  request.slot?.release();
  try {
    return await wait({} as OutsideOverloadLimit);
  } finally {
    request.slot?.take();
  }
}

const isHealthCheck = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.healthCheck === true;
