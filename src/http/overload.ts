// Load shedding: responds 503 once a route has too many requests in flight.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from '../oauth/errors.ts';
import type { OffSlot } from '../outgoing/guarded-request.ts';

/**
 * Slots of one route and method, in one process. A core answers about a thousand requests per second, so the last of
 * them waits for half a second. Each route has its own slots, so that a blocked form doesn't block the page it is on.
 */
const SLOTS = 500;

/** A request's slot of its route's limit. It is held while the request does work. */
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
 * Answers 503 with Retry-After when all slots of a route are taken. A request takes its slot once its body has arrived,
 * so slow senders hold none. Health checks are always answered.
 */
export function overloadGuard(app: FastifyInstance, slots = SLOTS): void {
  app.decorateRequest('slot', undefined);
  const taken = new Map<string, number>();
  const routeOf = ({ method, routeOptions }: FastifyRequest) =>
    `${method} ${routeOptions.url ?? 'unmatched'}`;
  const isFull = (request: FastifyRequest) =>
    (taken.get(routeOf(request)) ?? 0) >= slots && isGuarded(request);

  // Checked before the body is read as well, because refusing has to be cheaper than serving.
  app.addHook('onRequest', (request, _reply, done) => done(isFull(request) ? overloaded(2) : undefined));
  app.addHook('preHandler', (request, reply, done) => {
    if (isFull(request)) return done(overloaded(2));
    const route = routeOf(request);
    let held = false;
    let ended = false;
    const hold = (next: boolean) => {
      if (held !== next) taken.set(route, (taken.get(route) ?? 0) + (next ? 1 : -1));
      held = next;
    };
    const slot: Slot = { release: () => hold(false), take: () => hold(!ended) };
    slot.take();
    request.slot = slot;
    // 'close' rather than onResponse, which isn't called when the peer hangs up.
    reply.raw.once('close', () => {
      ended = true;
      slot.release();
    });
    done();
  });
}

/**
 * Releases the request's slot for as long as `wait` takes.
 * @param wait receives the proof that outgoing calls require
 */
export async function withoutSlot<Result>(
  request: FastifyRequest,
  wait: (offSlot: OffSlot) => Promise<Result>,
): Promise<Result> {
  request.slot?.release();
  try {
    return await wait({} as OffSlot);
  } finally {
    request.slot?.take();
  }
}

const isGuarded = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.health !== true;
