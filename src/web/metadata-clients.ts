// Fetches clients' metadata documents (CIMD) for authorization requests.
// Users must sign in first so that anonymous users can't make the service send requests.
// Pushed requests need no sign-in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MetadataDocumentError } from '../agents/metadata-documents.ts';
import { withoutSlot } from '../http/overload.ts';
import { PageError } from '../http/page-error.ts';
import { clientNetwork } from '../http/rate-limit.ts';
import { isHeadRequest, isPrefetch } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { loadSession, otherSessionIds } from './browser.ts';

/** Maximum length of an authorization request in the sign-in page's `next` parameter. */
const MAX_QUERY_LENGTH = 8000;

/** @throws OAuthError if the URL would be too long */
export function buildAuthorizeUrl(sent: Parameters): string {
  const query = new URLSearchParams([...sent.entries]).toString();
  if (query.length > MAX_QUERY_LENGTH)
    throw invalidRequest('The authorization request is too long.', { kind: 'request_unreadable' });
  return `/oauth/authorize?${query}`;
}

/**
 * Never fetches for anonymous users, HEAD requests or prefetches.
 * @returns false if the user was redirected to the sign-in page
 * @throws PageError if the document can't be fetched or is invalid
 */
export async function ensureClientMetadata(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  clientId: string,
  sent: Parameters,
): Promise<boolean> {
  try {
    if (await services.metadataDocuments.isKnown(clientId)) return true;
    const session = isHeadRequest(request) ? undefined : await loadSession(request, services);
    if (session !== undefined) {
      if (isPrefetch(request))
        throw new MetadataDocumentError('later', 'The page was prefetched. Open it to continue.');
      await withoutSlot(request, (slotProof) =>
        services.metadataDocuments.read(clientId, clientNetwork(request), slotProof),
      );
      return true;
    }
  } catch (error) {
    if (!(error instanceof MetadataDocumentError)) throw error;
    // The missing document contains the redirect URIs, so the error can't be sent to the client.
    throw new PageError(ERROR_PAGES[error.kind], toOAuthError(error), {
      showDescription: error.kind !== 'later',
    });
  }
  const page = otherSessionIds(request).length > 0 ? '/accounts' : '/signin';
  reply.redirect(`${page}?next=${encodeURIComponent(buildAuthorizeUrl(sent))}`, 303);
  return false;
}

const METADATA_INVALID = { kind: 'client_metadata_invalid' } as const;
const RETRY_AFTER_SECONDS = 60;

const ERROR_PAGES = { later: 'agentLater', blocked: 'agentBlocked', invalid: 'agentUnreadable' } as const;

const toOAuthError = ({ kind, message }: MetadataDocumentError): OAuthError =>
  kind === 'later'
    ? new OAuthError(503, 'temporarily_unavailable', message, METADATA_INVALID, {
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      })
    : new OAuthError(401, 'invalid_client', message, METADATA_INVALID);

export async function ensureClientMetadataForPar(
  request: FastifyRequest,
  services: Services,
  clientId: string,
): Promise<void> {
  try {
    if (await services.metadataDocuments.isKnown(clientId)) return;
    await withoutSlot(request, (slotProof) =>
      services.metadataDocuments.read(clientId, clientNetwork(request), slotProof),
    );
  } catch (error) {
    throw error instanceof MetadataDocumentError ? toOAuthError(error) : error;
  }
}
