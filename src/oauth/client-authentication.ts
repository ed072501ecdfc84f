// How an application, or at introspection an API, says who it is (D11, D12, D56; RFC 6749 §2.3.1).
import { clientSecretHash } from './digests.ts';
import { invalidClient, invalidRequest, type OAuthError, parameterMissing } from './errors.ts';
import type { Parameters } from './parameters.ts';
import type { Clues, KnownApplication, Reason } from './reason.ts';
import {
  API_SECRET_PREFIX,
  isApiIdShaped,
  isApiSecretShaped,
  isClientIdShaped,
  isClientSecretShaped,
  SECRET_PREFIX,
} from './secrets.ts';

/** What was sent, ready for the database, which alone decides. */
export interface Credentials {
  clientId: string;
  /** The hash of the secret that was sent; null if none was. */
  secretHash: Buffer | null;
  /**
   * Whether the client sent an assertion that was verified and recorded as used. Statements authenticate it by this alone, so
   * it is never set from anything else.
   */
  asserted: boolean;
  triedBasic: boolean;
}

/** Credentials as a request brought them. */
export interface PresentedCredentials extends Credentials {
  /** What is to be said should they not authenticate; nothing of it is worked out before. */
  fault: () => Reason;
}

/**
 * Reads the credentials of a request: `client_id` and `client_secret` in the form, or HTTP Basic; never the query.
 * @throws OAuthError `invalid_request` without a client_id or with both methods at once, `invalid_client` for a Basic
 *   header that cannot be read.
 */
export function readCredentials(form: Parameters, authorization: string | undefined): PresentedCredentials {
  const formId = form.get('client_id');
  const formSecret = form.get('client_secret');
  if (authorization === undefined || !/^basic(?: |$)/i.test(authorization)) {
    if (formId === undefined) throw parameterMissing('client_id');
    return credentials(formId, formSecret, false);
  }
  const basic = parseBasic(authorization);
  if (formSecret !== undefined)
    throw invalidRequest('Send client_secret in the form or as HTTP Basic, not both.', {
      kind: 'credentials_twice',
    }).from(named(formId ?? basic?.id));
  if (basic === undefined) throw invalidClient({ kind: 'basic_unreadable' }, true).from(named(formId));
  if (formId !== undefined && formId !== basic.id)
    throw invalidRequest('The client_id of the form is not the one of the HTTP Basic header.', {
      kind: 'client_ids_differ',
    }).from(named(formId));
  return credentials(basic.id, basic.secret, true);
}

function credentials(
  clientId: string,
  secret: string | undefined,
  triedBasic: boolean,
): PresentedCredentials {
  if (!isClientIdShaped(clientId)) throw invalidClient({ kind: 'application_unknown' }, triedBasic);
  return secret === undefined
    ? { clientId, secretHash: null, asserted: false, triedBasic, fault: secretMissing }
    : {
        clientId,
        secretHash: clientSecretHash(secret),
        asserted: false,
        triedBasic,
        fault: () => secretFault(secret, clientId),
      };
}

const secretMissing = (): Reason => ({ kind: 'secret_missing' });

/** What a wrong secret looks like. */
function secretFault(secret: string, clientId: string): Reason {
  if (/\s/.test(secret)) return { kind: 'secret_white_space' };
  if (secret.includes('%')) return { kind: 'secret_encoded' };
  if (secret === clientId) return { kind: 'secret_is_client_id' };
  const ofApi = isApiIdShaped(clientId);
  const [prefix, other] = ofApi ? [API_SECRET_PREFIX, SECRET_PREFIX] : [SECRET_PREFIX, API_SECRET_PREFIX];
  if (ofApi ? isApiSecretShaped(secret) : isClientSecretShaped(secret)) return { kind: 'secret_unknown' };
  if (secret.startsWith(other)) return { kind: ofApi ? 'secret_of_application' : 'secret_of_api' };
  if (!secret.startsWith(prefix)) return { kind: 'secret_not_ours' };
  const { length } = secret;
  return length < prefix.length + 49 ? { kind: 'secret_shortened', length } : { kind: 'secret_altered' };
}

/** The application that a request only names: anybody can. */
export const named = (clientId: string | undefined): KnownApplication | undefined =>
  clientId !== undefined && isClientIdShaped(clientId) ? { clientId, authenticated: false } : undefined;

/** The application whose credentials the database has just accepted: a public one has proved nothing by its name. */
export const accepted = ({ clientId, secretHash, asserted }: Credentials): KnownApplication => ({
  clientId,
  authenticated: secretHash !== null || asserted,
});

/** 401 for credentials that the database does not accept, whatever else the request held. */
export const notAccepted = (credentials: PresentedCredentials, clues: Clues = {}): OAuthError =>
  invalidClient(credentials.fault(), credentials.triedBasic).from(named(credentials.clientId), {
    ...clues,
    secretHash: credentials.secretHash,
  });

/** Both halves of an HTTP Basic header, or undefined when it cannot be read. */
export function parseBasic(authorization: string): { id: string; secret: string | undefined } | undefined {
  const text = Buffer.from(authorization.slice(5).trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  try {
    // Both halves are form-encoded before they are joined (RFC 6749 §2.3.1).
    const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)].map((half) =>
      decodeURIComponent(half.replaceAll('+', ' ')),
    ) as [string, string];
    return { id, secret: secret || undefined };
  } catch {
    return undefined;
  }
}
