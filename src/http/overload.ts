// Load shedding: responds with 503 while a route has too many requests in flight.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from '../oauth/errors.ts';
import type { ReleasedSlotProof } from '../outgoing/guarded-request.ts';

/**
 * Maximum requests in flight per route and HTTP method. On one core, the last of these requests waits for about half a second.
 * Each method has its own slots, so pages load while form submissions are stuck.
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

/** A request takes a slot after its body has arrived, so slow senders don't occupy slots. Health checks are exempt. */
export function shedLoad(app: FastifyInstance, slots = SLOTS_PER_ROUTE): void {
  app.decorateRequest('slot', undefined);
  const taken = new Map<string, number>();
  const getRoute = ({ method, routeOptions }: FastifyRequest) =>
    `${method} ${routeOptions.url ?? 'unmatched'}`;
  const isRouteFull = (request: FastifyRequest) =>
    (taken.get(getRoute(request)) ?? 0) >= slots && !isHealthCheck(request);

  // Refusing a request must be cheap, so the body isn't read.
  app.addHook('onRequest', (request, _reply, done) => done(isRouteFull(request) ? overloaded(2) : undefined));
  app.addHook('preHandler', (request, reply, done) => {
    if (isRouteFull(request)) return done(overloaded(2));
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

/** Releases the request's slot while `wait` runs. `wait` receives the proof that outgoing requests need. */
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
