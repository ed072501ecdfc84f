// What an application may want of the protocol beyond the contract, and what is wrong with it, by name.
import { type CryptoKey, exportJWK, importJWK, type JSONWebKeySet, type JWK } from 'jose';
import { isPrivateKey } from '../oauth/client-assertion.ts';
import { jsonIn } from '../oauth/json.ts';
import { type ClientType, type RedirectUriFault, redirectUriFault } from '../oauth/redirect-uri.ts';
import type { ProtocolSettings } from '../store/applications.ts';
import { isLink } from './settings-fields.ts';

type KeysFault = { field: 'jwks'; fault: 'tooMany' | 'keysUnreadable' | 'keyPrivate' | 'keyUnfit' };

export type ProtocolFault = (
  | KeysFault
  | { field: 'post_logout_redirect_uris'; fault: 'tooMany' | RedirectUriFault }
  | { field: 'backchannel_logout_uri'; fault: 'backchannelInvalid' }
) & {
  /** The entry that it is about, as it was typed. */
  entry?: string;
};

const MOST = 20;
const MOST_KEYS = 5;

/** What is wrong with the settings, apart from the keys (`readKeys`); empty when nothing is. */
export function protocolFaults(
  settings: Omit<ProtocolSettings, 'jwks'>,
  type: ClientType,
  production: boolean,
): ProtocolFault[] {
  const faults: ProtocolFault[] = [];
  const { postLogoutRedirectUris, backchannelLogoutUri } = settings;
  faults.push(...logoutAddressFaults(postLogoutRedirectUris, type, production));
  if (
    backchannelLogoutUri !== null &&
    (!isLink(backchannelLogoutUri, production) || backchannelLogoutUri.includes('#'))
  )
    faults.push({ field: 'backchannel_logout_uri', fault: 'backchannelInvalid' });
  return faults;
}

/** What is wrong with the addresses that people return to after sign-out: the rules of callbacks hold for them (D3). */
export function logoutAddressFaults(
  addresses: readonly string[],
  type: ClientType,
  production: boolean,
): ProtocolFault[] {
  const field = 'post_logout_redirect_uris';
  if (addresses.length > MOST) return [{ field, fault: 'tooMany' }];
  return addresses.flatMap((entry) => {
    const fault = redirectUriFault(entry, type, production);
    return fault === undefined ? [] : [{ field, fault, entry } as const];
  });
}

/**
 * Reads public keys out of a text: a JWK Set (RFC 7517 §5), or a single key. Only what is public is kept.
 * @returns the keys, null when there is no text, or what is wrong with it
 */
export async function readKeys(text: string): Promise<JSONWebKeySet | null | KeysFault> {
  return text.trim() === '' ? null : readKeySet(jsonIn(text));
}

/** The same of what JSON holds. */
export async function readKeySet(parsed: unknown): Promise<JSONWebKeySet | KeysFault> {
  const fault = (name: KeysFault['fault']): KeysFault => ({ field: 'jwks', fault: name });
  const keys = keysIn(parsed);
  if (keys === undefined || keys.length === 0) return fault('keysUnreadable');
  if (keys.length > MOST_KEYS) return fault('tooMany');
  const read: JWK[] = [];
  for (const key of keys) {
    if (isPrivateKey(key)) return fault('keyPrivate');
    const fit = await fitKey(key);
    if (fit === undefined) return fault('keyUnfit');
    read.push(fit);
  }
  return { keys: read };
}

function keysIn(parsed: unknown): JWK[] | undefined {
  const set = (parsed as { keys?: unknown } | null | undefined)?.keys;
  const keys: unknown[] = Array.isArray(set) ? set : [parsed];
  const isKey = (key: unknown): key is JWK => typeof key === 'object' && key !== null && 'kty' in key;
  return keys.every(isKey) ? keys : undefined;
}

const KINDS = new Map<unknown, { algorithm: string; curve?: string }>([
  ['RSA', { algorithm: 'RS256' }],
  ['EC', { algorithm: 'ES256', curve: 'P-256' }],
  ['OKP', { algorithm: 'EdDSA', curve: 'Ed25519' }],
]);

/**
 * What is kept of a key if it is one to verify with, of a kind that is accepted and strong enough: only what was
 * understood of it, whatever else the text held.
 */
async function fitKey({ kty, crv, x, y, n, e, kid, alg }: JWK): Promise<JWK | undefined> {
  const kind = KINDS.get(kty);
  if (kind === undefined || crv !== kind.curve) return undefined;
  if (kid !== undefined && (typeof kid !== 'string' || !/^[\x20-\x7e]{1,200}$/.test(kid))) return undefined;
  const { algorithm } = kind;
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
