// Pushed authorization requests (RFC 9126): sealed into the very name under which the browser brings them back.

import { randomUUID } from 'node:crypto';
import type { AuthorizationRequest } from './authorization-request.ts';
import { PUSHED_REQUEST } from './lifetimes.ts';
import { type Parameters, parseParameters } from './parameters.ts';
import { requestQuery } from './pending-request.ts';
import type { Sealer } from './seal.ts';

const PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** Whether a request_uri is of the kind that this service gives out; any other is never fetched. */
export const isPushed = (requestUri: string): boolean => requestUri.startsWith(PREFIX);

/** Names a request that its application has pushed: what was understood of it, so that the name fits into an address. */
export function sealPushed(sealer: Sealer, request: AuthorizationRequest, now: Date): string {
  const expiresAt = now.getTime() + PUSHED_REQUEST * 1000;
  const content = [request.clientId, expiresAt, requestQuery(request), randomUUID()];
  return PREFIX + sealer.sealJson('pushed-request', content);
}

/** The parameters of a pushed request, or what is wrong with its name for this application at this time. */
export function openPushed(
  sealer: Sealer,
  requestUri: string,
  clientId: string,
  now: Date,
): Parameters | 'unknown' | 'expired' {
  const name = requestUri.slice(PREFIX.length);
  const opened = sealer.openJson<[string, number, string]>('pushed-request', name);
  if (opened === undefined) return 'unknown';
  const [owner, expiresAt, query] = opened;
  if (owner !== clientId) return 'unknown';
  return expiresAt <= now.getTime() ? 'expired' : parseParameters(query);
}
