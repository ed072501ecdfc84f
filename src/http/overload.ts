// Load shedding: responds with 503 while a route has too many requests in flight.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from '../oauth/errors.ts';
import type { ReleasedSlotProof } from '../outgoing/guarded-request.ts';

/**
 * Maximum requests in flight per route and method. One core serves about 1,000 requests per second, so a request in the
 * last slot waits for half a second. Methods have separate slots so that pages still load while form submissions are
 * stuck.
 */
const SLOTS_PER_ROUTE = 500;

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
 * Responds with 503 and Retry-After while all slots of a route are taken. Health checks are exempt. A request takes its
 * slot after its body has arrived, so slow senders don't occupy slots.
 */
export function shedLoad(app: FastifyInstance, slots = SLOTS_PER_ROUTE): void {
  app.decorateRequest('slot', undefined);
  const taken = new Map<string, number>();
  const getRoute = ({ method, routeOptions }: FastifyRequest) =>
    `${method} ${routeOptions.url ?? 'unmatched'}`;
  const isFull = (request: FastifyRequest) =>
    (taken.get(getRoute(request)) ?? 0) >= slots && !isHealthCheck(request);

  // Refusing a request must cost less than serving it, so the body isn't read.
  app.addHook('onRequest', (request, _reply, done) => done(isFull(request) ? overloaded(2) : undefined));
  app.addHook('preHandler', (request, reply, done) => {
    if (isFull(request)) return done(overloaded(2));
    const route = getRoute(request);
    let held = false;
    let closed = false;
    const setSlotTaken = (value: boolean) => {
      if (held !== value) taken.set(route, (taken.get(route) ?? 0) + (value ? 1 : -1));
      held = value;
    };
    const slot: Slot = { release: () => setSlotTaken(false), take: () => setSlotTaken(!closed) };
    slot.take();
    request.slot = slot;
    // onResponse isn't called if the client disconnects.
    reply.raw.once('close', () => {
      closed = true;
      slot.release();
    });
    done();
  });
}

/**
 * Releases the request's slot while `wait` runs.
 * @param wait receives proof of the released slot, which outgoing requests require
 */
export async function withoutSlot<Result>(
  request: Pick<FastifyRequest, 'slot'>,
  wait: (slotProof: ReleasedSlotProof) => Promise<Result>,
): Promise<Result> {
  request.slot?.release();
  try {
    return await wait({} as ReleasedSlotProof);
  } finally {
    request.slot?.take();
  }
}

const isHealthCheck = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.healthCheck === true;
