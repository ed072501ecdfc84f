// Limits requests per minute and IP address, with counts in memory or in Redis.
import { isIPv6 } from 'node:net';
import rateLimitPlugin from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { rateLimited } from '../oauth/errors.ts';
import { createIpMatcher } from '../oauth/public-ip.ts';
import { clientIp } from './request.ts';
import { isRateLimitExempt } from './route-config.ts';

/** Number of 16-bit groups in a /64 prefix. */
const IPV6_NETWORK_GROUPS = 4;
/** Milliseconds. A window starts with an IP address's first request. */
const RATE_LIMIT_WINDOW = 60_000;
const MAX_LOCAL_IPS = 50_000;
const RETRY_DELAY = 1000;

/** Returns the /64 network of an IPv6 address. IPv4-mapped addresses become IPv4. */
export function ipNetwork(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const parsed = ipaddr.process(ip);
  if (parsed instanceof ipaddr.IPv6) parsed.parts.fill(0, IPV6_NETWORK_GROUPS);
  return parsed.toString();
}

/** Returns '' if the connection is closed. */
export const clientNetwork = (request: FastifyRequest): string => ipNetwork(clientIp(request));

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * Limits all requests except OPTIONS and exempt routes.
 * @param perMinute 0 disables the limit
 * @param allow exempt IP addresses and CIDR ranges
 * @param redisUrl for shared counts. While Redis is unavailable, each process counts separately.
 */
export async function enforceRateLimit(
  app: FastifyInstance,
  { perMinute, allow, redisUrl }: { perMinute: number; allow: string[]; redisUrl: string | undefined },
): Promise<void> {
  if (perMinute === 0) return;
  const isAllowed = createIpMatcher(allow);
  const options = {
    global: false,
    max: perMinute,
    timeWindow: RATE_LIMIT_WINDOW,
    keyGenerator: clientNetwork,
    ...(allow.length > 0 && { allowList: (request: FastifyRequest) => isAllowed(clientIp(request)) }),
  };
  const local = await createLimiter(app, { ...options, cache: MAX_LOCAL_IPS });
  const shared =
    redisUrl === undefined ? undefined : await createSharedLimiter(app, options, redisUrl, local);

  app.addHook('onRequest', async (request) => {
    if (isRateLimitExempt(request)) return;
    const count = await (shared ?? local)(request);
    if (!count.isAllowed && count.isExceeded) throw rateLimited(Math.max(1, count.ttlInSeconds));
  });
}

async function createLimiter(app: FastifyInstance, options: object): Promise<Limiter> {
  let created: Limiter | undefined;
  // Each limiter needs its own scope because the plugin decorates the scope.
  await app.register(async (scope) => {
    await scope.register(rateLimitPlugin, options);
    created = scope.createRateLimit();
  });
  return created as Limiter;
}

async function createSharedLimiter(
  app: FastifyInstance,
  options: object,
  redisUrl: string,
  local: Limiter,
): Promise<Limiter> {
  // The library is loaded on demand because it takes 15 MiB of memory.
  const { Redis } = await import('ioredis');
  // No queue and no retries, so that an unavailable Redis delays no requests.
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1000,
    commandTimeout: 250,
    // Close a hung connection so that Redis doesn't count its requests much later.
    socketTimeout: 500,
  });
  let isUnavailable = false;
  let retryAt = 0;
  const reportOutage = (error: Error) => {
    retryAt = Date.now() + RETRY_DELAY;
    if (!isUnavailable) app.log.warn({ err: error }, 'Redis is unavailable; rate limits apply per process');
    isUnavailable = true;
  };
  redis.on('error', reportOutage);
  // Redis can recover without a new connection, so only a response proves that it is available.
  const reportRecovery = () => {
    if (isUnavailable) app.log.info('Redis is available again; processes share rate limits');
    isUnavailable = false;
  };
  await redis.connect().catch(reportOutage);
  app.addHook('onClose', async () => redis.disconnect());

  const shared = await createLimiter(app, { ...options, redis, nameSpace: 'sesame:rate-limit:' });
  return async (request, callOptions) => {
    if (Date.now() < retryAt) return local(request, callOptions);
    try {
      const count = await shared(request, callOptions);
      reportRecovery();
      return count;
    } catch (error) {
      reportOutage(error as Error);
      return local(request, callOptions);
    }
  };
}
