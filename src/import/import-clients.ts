// Imports clients, each in a separate transaction, and returns a verdict for each.
import { hash } from 'node:crypto';
import { cleanName, MAX_NAME_LENGTH } from '../accounts/account-fields.ts';
import {
  type ClientDefinition,
  type ClientDefinitionError,
  updateClientDefinition,
  validateClientDefinition,
} from '../clients/definition.ts';
import { validateKeySet } from '../clients/protocol-fields.ts';
import { registerImportedClient } from '../clients/registration.ts';
import { messagesFor } from '../i18n/index.ts';
import { clientSecretHash } from '../oauth/digests.ts';
import { REFRESH_GRACE_PERIOD } from '../oauth/lifetimes.ts';
import { validateRedirectUri } from '../oauth/redirect-uri.ts';
import {
  getSecretSuffix,
  isDynamicClientId,
  isWellFormedApiId,
  isWellFormedClientId,
  isWellFormedClientSecret,
} from '../oauth/secrets.ts';
import { isUuid } from '../store/admin-accounts.ts';
import { recordEvent } from '../store/audit-log.ts';
import { clientExists, setImportedState } from '../store/clients.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import { lockOwner } from '../store/owned-resources.ts';
import { insertSecretDigest, type SecretDigest } from '../store/secrets.ts';
import type { ClientRecord } from './client-record.ts';

export interface ImportOwner {
  userId: string;
  email: string;
}

export interface ClientImport {
  record: ClientRecord;
  notes: readonly string[];
  owner: ImportOwner;
  /** The Keycloak realm. Replacement client_ids depend on it. */
  source: string;
}

export interface ClientVerdict {
  client_id: string;
  verdict: 'created' | 'exists' | 'skipped' | 'refused';
  new_client_id?: string;
  reason?: string;
  notes?: readonly string[];
}

/** A shorter secret could be guessed from its SHA-256 digest. */
const MIN_SECRET_LENGTH = 24;

export async function importClient(
  database: Database,
  { record, notes: sourceNotes, owner, source }: ClientImport,
  { production, dryRun }: { production: boolean; dryRun: boolean },
  now: Date,
): Promise<ClientVerdict> {
  const clientId = toClientId(record.client_id, source);
  const mapping = {
    client_id: record.client_id,
    ...(clientId !== record.client_id && { new_client_id: clientId }),
  };
  if (await clientExists(database, clientId)) return { ...mapping, verdict: 'exists' };

  const notes = [...sourceNotes];
  const definition = await toDefinition(record, production, notes);
  const { type } = record;
  if (definition.redirectUris.length === 0 && record.redirect_uris.length > 0)
    return { ...mapping, verdict: 'refused', reason: 'The application has no valid callback URL.', notes };
  if (type === 'public' && definition.redirectUris.length === 0)
    return { ...mapping, verdict: 'refused', reason: 'The application has no callback URL.', notes };
  const isMachine = definition.redirectUris.length === 0;
  const errors = validateClientDefinition(definition, { type, isMachine }, production);
  if (errors.length > 0)
    return { ...mapping, verdict: 'refused', reason: errors.map(describeError).join(' '), notes };
  const secrets = type === 'public' ? [] : toSecrets(record, notes, now);
  if (type === 'confidential' && secrets.length === 0 && definition.jwks === null)
    notes.push(`The application has no secret. To create one, run: sesame apps rotate-secret ${clientId}`);
  const verdict = { ...mapping, verdict: 'created', ...(notes.length > 0 && { notes }) } as const;
  if (dryRun) return verdict;

  const isNew = await database.transaction((transaction) =>
    insertClient(transaction, { clientId, record, definition, secrets, owner, production }, now),
  );
  return isNew ? verdict : { ...mapping, verdict: 'exists' };
}

interface ClientInsertion {
  clientId: string;
  record: ClientRecord;
  definition: ClientDefinition;
  secrets: readonly SecretDigest[];
  owner: ImportOwner;
  production: boolean;
}

async function insertClient(
  transaction: Queryable,
  { clientId, record, definition, secrets, owner: { userId }, production }: ClientInsertion,
  now: Date,
): Promise<boolean> {
  const { type, verified, suspended, created_at: createdAt = now } = record;
  await lockOwner(transaction, userId);
  if (!(await registerImportedClient(transaction, clientId, { ...definition, type, ownerId: userId }, now)))
    return rollback(false);
  const detail = { name: definition.name, type };
  await recordEvent(transaction, { kind: 'application_registered', userId, clientId, detail }, now);
  const owner = { userId, ip: undefined };
  const updated = await updateClientDefinition(transaction, owner, clientId, definition, production, now);
  if (updated === undefined || Array.isArray(updated))
    throw new Error(`the definition of ${clientId} was rejected although it passed validation`);
  await setImportedState(transaction, clientId, {
    createdAt,
    verifiedAt: verified ? now : null,
    suspendedAt: suspended ? now : null,
  });
  for (const secret of secrets) await insertSecretDigest(transaction, 'application', clientId, secret);
  return true;
}

/** Paths under /console/applications. A client with one of these IDs would have no page. */
const RESERVED_CONSOLE_PATHS: ReadonlySet<string> = new Set(['new', 'try-it']);

/**
 * Returns the client_id to use in this service. A client_id that isn't allowed is hashed, so a second import finds
 * the client. UUIDs aren't allowed because a user could have the same `sub` (RFC 9068 §5).
 */
function toClientId(clientId: string, source: string): string {
  const isAllowed =
    isWellFormedClientId(clientId) &&
    /^[A-Za-z0-9_-]+$/.test(clientId) &&
    !isDynamicClientId(clientId) &&
    !isWellFormedApiId(clientId) &&
    !isUuid(clientId) &&
    !RESERVED_CONSOLE_PATHS.has(clientId);
  if (isAllowed) return clientId;
  return `app_${hash('sha256', JSON.stringify(['imported client', source, clientId]), 'base64url').slice(0, 20)}`;
}

/**
 * Converts a record to a client definition. Leaves out invalid redirect URIs, links and keys, and adds a note about
 * each one.
 */
async function toDefinition(
  record: ClientRecord,
  production: boolean,
  notes: string[],
): Promise<ClientDefinition> {
  const { type } = record;
  const { errors: texts } = messagesFor('en').applications;
  const keepValidUris = (noun: string, uris: readonly string[]): string[] =>
    [...new Set(uris)].filter((uri) => {
      const error = validateRedirectUri(uri, type, production);
      if (error !== undefined)
        notes.push(`${noun} left out: ${quote(uri)}: ${texts[error].replace(/\.$/, '')}.`);
      return error === undefined;
    });
  const definition: ClientDefinition = {
    name: [...cleanName(record.name)].slice(0, MAX_NAME_LENGTH).join(''),
    redirectUris: keepValidUris('Callback URL', record.redirect_uris),
    scopes: record.scopes,
    standard: record.standard,
    refreshGrace: record.refresh_grace ?? REFRESH_GRACE_PERIOD,
    homePage: record.home_page,
    privacyPolicy: record.privacy_policy,
    termsOfService: record.terms_of_service,
    idTokenAlgorithm: record.id_token_algorithm,
    idTokenClaims: record.id_token_claims,
    parRequired: record.par_required,
    pkceRequired: record.pkce_required && type === 'confidential',
    mfaRequired: record.mfa_required,
    postLogoutRedirectUris: keepValidUris('Sign-out URL', record.post_logout_redirect_uris),
    backchannelLogoutUri: record.backchannel_logout_uri,
    jwks: null,
    deviceFlow: record.device_flow,
  };
  if (record.jwks && type === 'confidential') {
    const keys = await validateKeySet(record.jwks);
    if ('code' in keys) notes.push(`Public keys left out: ${texts[keys.code]}`);
    else definition.jwks = keys;
  }
  const isMachine = definition.redirectUris.length === 0;
  for (const error of validateClientDefinition(definition, { type, isMachine }, production)) {
    const link = OPTIONAL_LINKS[error.field as keyof typeof OPTIONAL_LINKS];
    if (link === undefined) continue;
    notes.push(`${error.field} left out: ${quote(definition[link] ?? '')}: ${texts[error.code]}`);
    definition[link] = null;
  }
  return definition;
}

const OPTIONAL_LINKS = {
  home_page: 'homePage',
  privacy_policy: 'privacyPolicy',
  terms_of_service: 'termsOfService',
  backchannel_logout_uri: 'backchannelLogoutUri',
} as const;

function toSecrets(record: ClientRecord, notes: string[], now: Date): SecretDigest[] {
  const digests = record.secrets.map(({ sha256, ending, created_at, expires_at }) => ({
    hash: Buffer.from(sha256, 'base64url'),
    lastCharacters: ending,
    createdAt: created_at,
    expiresAt: expires_at,
  }));
  const { client_secret: secret } = record;
  if (secret === undefined) return digests;
  if (secret.length < MIN_SECRET_LENGTH || !/^[\x20-\x7e]+$/.test(secret)) {
    notes.push(
      `The secret is not imported. A secret must have at least ${MIN_SECRET_LENGTH} ASCII characters.`,
    );
    return digests;
  }
  // The last characters of the service's own secrets are a checksum, which reveals nothing.
  const lastCharacters = isWellFormedClientSecret(secret) ? getSecretSuffix(secret) : '';
  return [...digests, { hash: clientSecretHash(secret), lastCharacters, createdAt: now, expiresAt: null }];
}

function describeError(error: ClientDefinitionError): string {
  const text = messagesFor('en').applications.errors[error.code];
  return `${error.field}: ${text}`;
}

const quote = (value: string): string => JSON.stringify(value.slice(0, 200));
