// Sends openid-client's requests through the guarded fetcher.
import type { CustomFetch } from 'openid-client';
import {
  type KeepAliveAgents,
  type OutgoingPolicy,
  type ReleasedSlotProof,
  sendGuardedRequest,
} from '../outgoing/guarded-request.ts';

/** Milliseconds. */
const REQUEST_TIMEOUT = 3_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Fetch Standard §2.2.3. */
const NULL_BODY_STATUSES = [204, 205, 304];

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
    // Copy only two headers because others may have values that the Headers class rejects.
    const { 'content-type': contentType, 'www-authenticate': challenge } = response.headers;
    return new Response(NULL_BODY_STATUSES.includes(response.status) ? null : response.body, {
      status: response.status,
      headers: {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(challenge !== undefined && { 'www-authenticate': challenge }),
      },
    });
  };
