// Validates a client's public keys, post-logout redirect URIs and back-channel logout URI.
import { type CryptoKey, exportJWK, importJWK, type JSONWebKeySet, type JWK } from 'jose';
import { hasPrivateMembers } from '../oauth/client-assertion.ts';
import { parseJson } from '../oauth/parse-json.ts';
import { type ClientType, type RedirectUriError, validateRedirectUri } from '../oauth/redirect-uri.ts';
import type { ProtocolSettings } from '../store/owned-clients.ts';
import { isValidLink } from './settings-fields.ts';

type KeysError = { field: 'jwks'; code: 'tooMany' | 'keysUnreadable' | 'keyPrivate' | 'keyUnsupported' };

export type ProtocolError = (
  | KeysError
  | { field: 'post_logout_redirect_uris'; code: 'tooMany' | RedirectUriError }
  | { field: 'backchannel_logout_uri'; code: 'backchannelInvalid' }
) & {
  entry?: string;
};

const MAX_POST_LOGOUT_URIS = 20;
const MAX_KEYS = 5;

/** Doesn't validate the public keys, because `parsePublicKeys` does. */
export function validateProtocolSettings(
  settings: Pick<ProtocolSettings, 'postLogoutRedirectUris' | 'backchannelLogoutUri'>,
  type: ClientType,
  production: boolean,
): ProtocolError[] {
  const errors: ProtocolError[] = [];
  const { postLogoutRedirectUris, backchannelLogoutUri } = settings;
  errors.push(...validatePostLogoutUris(postLogoutRedirectUris, type, production));
  if (
    backchannelLogoutUri !== null &&
    (!isValidLink(backchannelLogoutUri, production) || backchannelLogoutUri.includes('#'))
  )
    errors.push({ field: 'backchannel_logout_uri', code: 'backchannelInvalid' });
  return errors;
}

function validatePostLogoutUris(
  uris: readonly string[],
  type: ClientType,
  production: boolean,
): ProtocolError[] {
  const field = 'post_logout_redirect_uris';
  if (uris.length > MAX_POST_LOGOUT_URIS) return [{ field, code: 'tooMany' }];
  return uris.flatMap((entry) => {
    const error = validateRedirectUri(entry, type, production);
    return error === undefined ? [] : [{ field, code: error, entry } as const];
  });
}

/** Parses a JWK Set or a single JWK and removes unknown members. Returns null for empty input. */
export async function parsePublicKeys(text: string): Promise<JSONWebKeySet | null | KeysError> {
  return text.trim() === '' ? null : validateKeySet(parseJson(text));
}

export async function validateKeySet(parsed: unknown): Promise<JSONWebKeySet | KeysError> {
  const createKeysError = (code: KeysError['code']): KeysError => ({ field: 'jwks', code });
  const keys = extractKeys(parsed);
  if (keys === undefined || keys.length === 0) return createKeysError('keysUnreadable');
  if (keys.length > MAX_KEYS) return createKeysError('tooMany');
  const publicKeys: JWK[] = [];
  for (const key of keys) {
    if (hasPrivateMembers(key)) return createKeysError('keyPrivate');
    const publicKey = await importPublicKey(key);
    if (publicKey === undefined) return createKeysError('keyUnsupported');
    publicKeys.push(publicKey);
  }
  return { keys: publicKeys };
}

function extractKeys(parsed: unknown): JWK[] | undefined {
  const set = (parsed as { keys?: unknown } | null | undefined)?.keys;
  const keys: unknown[] = Array.isArray(set) ? set : [parsed];
  const isJwk = (key: unknown): key is JWK => typeof key === 'object' && key !== null && 'kty' in key;
  return keys.every(isJwk) ? keys : undefined;
}

const KEY_TYPES = new Map<unknown, { algorithm: string; curve?: string }>([
  ['RSA', { algorithm: 'RS256' }],
  ['EC', { algorithm: 'ES256', curve: 'P-256' }],
  ['OKP', { algorithm: 'EdDSA', curve: 'Ed25519' }],
]);

async function importPublicKey({ kty, crv, x, y, n, e, kid, alg }: JWK): Promise<JWK | undefined> {
  const type = KEY_TYPES.get(kty);
  if (type === undefined || crv !== type.curve) return undefined;
  if (kid !== undefined && (typeof kid !== 'string' || !/^[\x20-\x7e]{1,200}$/.test(kid))) return undefined;
  const { algorithm } = type;
  if (alg !== undefined && alg !== algorithm && !(kty === 'RSA' && alg === 'PS256')) return undefined;
  const members = kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y };
  try {
    const imported = (await importJWK(members as JWK, algorithm)) as CryptoKey;
    const { modulusLength = 2048 } = imported.algorithm as { modulusLength?: number };
    if (modulusLength < 2048 || modulusLength > 8192) return undefined;
    return { ...(await exportJWK(imported)), ...(kid && { kid }), ...(alg && { alg }), use: 'sig' };
  } catch {
    return undefined;
  }
}
