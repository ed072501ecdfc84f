// So many requests a minute for an address, one budget over all dynamic addresses, shared through Redis where there is one (D25).
import { isIPv6 } from 'node:net';
import rateLimitPlugin from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { rateLimited } from '../oauth/errors.ts';
import { membership } from '../oauth/public-address.ts';
import { clientIp } from './request.ts';
import { isUncounted } from './route-config.ts';

/** 16-bit groups of an IPv6 address that name a /64 network. */
const NETWORK_GROUPS = 4;
/** Milliseconds; fixed, and begins with an IP's first request. */
const WINDOW = 60_000;
/** IPs counted at a time in memory; the least recently seen are dropped first. */
const LOCAL_IPS = 50_000;
/** While Redis is away, how long until a request waits for it again, in milliseconds. */
const PAUSE_AFTER_FAILURE = 1000;

/** What an IP address is counted and stored as: IPv4 as it is, also if mapped into IPv6; of IPv6 its /64 network. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const parsed = ipaddr.process(ip);
  if (parsed instanceof ipaddr.IPv6) parsed.parts.fill(0, NETWORK_GROUPS);
  return parsed.toString();
}

/** The address that requests are counted by; '' when the peer is gone. */
export const addressOf = (request: FastifyRequest): string => networkOf(clientIp(request));

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * Counts every request except OPTIONS and routes marked `uncounted`.
 * @param perMinute 0 switches the limit off
 * @param allow IP addresses and CIDR ranges that are never counted
 * @param redisUrl where several processes share one count; while Redis is away each has a separate count
 */
export async function rateLimit(
  app: FastifyInstance,
  { perMinute, allow, redisUrl }: { perMinute: number; allow: string[]; redisUrl: string | undefined },
): Promise<void> {
  if (perMinute === 0) return;
  const isAllowed = membership(allow);
  const options = {
    global: false,
    max: perMinute,
    timeWindow: WINDOW,
    keyGenerator: addressOf,
    ...(allow.length > 0 && { allowList: (request: FastifyRequest) => isAllowed(clientIp(request)) }),
  };
  const local = await limiter(app, { ...options, cache: LOCAL_IPS });
  const shared = redisUrl === undefined ? undefined : await sharedLimiter(app, options, redisUrl, local);

  app.addHook('onRequest', async (request) => {
    if (isUncounted(request)) return;
    const count = await (shared ?? local)(request);
    if (!count.isAllowed && count.isExceeded) throw rateLimited(Math.max(1, count.ttlInSeconds));
  });
}

async function limiter(app: FastifyInstance, options: object): Promise<Limiter> {
  let made: Limiter | undefined;
  // The plugin decorates the scope it is registered in; a scope of its own lets two counters live side by side.
  await app.register(async (scope) => {
    await scope.register(rateLimitPlugin, options);
    made = scope.createRateLimit();
  });
  return made as Limiter;
}

async function sharedLimiter(
  app: FastifyInstance,
  options: object,
  redisUrl: string,
  local: Limiter,
): Promise<Limiter> {
  const { Redis } = await import('ioredis'); // 15 MiB that a single process does not need
  // Away means away now: no queue, no long waits, or a dead Redis would hold up every request.
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1000,
    commandTimeout: 250,
    // A Redis that hangs is dropped with all that was sent to it, which would otherwise be counted when it wakes up.
    socketTimeout: 500,
  });
  let away = false;
  let askAgainAt = 0;
  const report = (error: Error) => {
    askAgainAt = Date.now() + PAUSE_AFTER_FAILURE;
    if (!away) app.log.warn({ err: error }, 'Redis is away: this process counts requests by itself');
    away = true;
  };
  redis.on('error', report);
  // Being connected is not enough: a Redis that hung comes back without a new connection.
  const answered = () => {
    if (away) app.log.info('Redis is back: requests are counted together again');
    away = false;
  };
  await redis.connect().catch(report);
  app.addHook('onClose', async () => redis.disconnect());

  const shared = await limiter(app, { ...options, redis, nameSpace: 'sesame:rate-limit:' });
  return async (request, callOptions) => {
    if (Date.now() < askAgainAt) return local(request, callOptions);
    try {
      const count = await shared(request, callOptions);
      answered();
      return count;
    } catch (error) {
      report(error as Error);
      return local(request, callOptions);
    }
  };
}
