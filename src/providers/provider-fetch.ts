// Sends openid-client's requests through the guarded fetcher.
import type { CustomFetch } from 'openid-client';
import {
  type KeepAliveAgents,
  type OutgoingPolicy,
  type ReleasedSlotProof,
  sendGuardedRequest,
} from '../outgoing/guarded-request.ts';

/** Timeout for each request to a provider, in milliseconds. */
const REQUEST_TIMEOUT = 3_000;
/** Maximum size of a provider's response in bytes. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Statuses whose responses must have no body (Fetch §2.2.3). */
const NULL_BODY = [204, 205, 304];

/** Returns a `fetch` function for openid-client. It throws OutgoingError and never follows redirects. */
export const createProviderFetch =
  (policy: OutgoingPolicy, slotProof: ReleasedSlotProof, connections?: KeepAliveAgents): CustomFetch =>
  async (url, { method, headers, body }) => {
    const response = await sendGuardedRequest(
      url,
      {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body != null && { body: String(body) }),
        timeout: REQUEST_TIMEOUT,
        maxBytes: MAX_RESPONSE_BYTES,
        ...(connections && { connections }),
      },
      policy,
      slotProof,
    );
    // Only these headers are needed. Others could contain values that the Headers class rejects.
    const { 'content-type': contentType, 'www-authenticate': challenge } = response.headers;
    return new Response(NULL_BODY.includes(response.status) ? null : response.body, {
      status: response.status,
      headers: {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(challenge !== undefined && { 'www-authenticate': challenge }),
      },
    });
  };
