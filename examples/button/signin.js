// Authorization code flow with PKCE, for public clients. No dependencies.
// Web Crypto requires https or http://localhost.

/** Unreserved characters (RFC 7636 §4.1). */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';

/** Bytes at or above this limit would favor the first characters, so they are discarded. */
const byteLimit = 256 - (256 % alphabet.length);

const stateKey = 'service_signin_state';
const verifierKey = 'service_signin_code_verifier';

/** `code` is an OAuth error code from the service, or one of this module's error codes. */
export class SignInError extends Error {
  /**
   * @param {string} code
   * @param {string} [message]
   */
  constructor(code, message = code) {
    super(message);
    this.name = 'SignInError';
    this.code = code;
  }
}

/**
 * Returns random characters. All characters are equally likely.
 * @param {number} length
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array} [fill] fills an array, like crypto.getRandomValues
 * @returns {string}
 */
export function randomString(length, fill = (bytes) => crypto.getRandomValues(bytes)) {
  let text = '';
  while (text.length < length) {
    for (const byte of fill(new Uint8Array(length - text.length))) {
      if (byte < byteLimit) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** @returns {string} the `state`, 32 characters */
export function createState() {
  return randomString(32);
}

/** @returns {string} the PKCE code verifier, 64 characters */
export function createVerifier() {
  return randomString(64);
}

/**
 * Computes the S256 code challenge (RFC 7636 §4.2).
 * @param {string} verifier
 * @returns {Promise<string>} base64url without padding, 43 characters
 */
export async function createChallenge(verifier) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Stores a new state and verifier, then redirects to the service.
 * @param {object} options
 * @param {string} options.baseUrl URL of the service, without a trailing slash
 * @param {string} options.clientId
 * @param {string} options.redirectUri exactly as registered
 * @param {string} [options.scope] scope names, separated by spaces
 * @param {Storage} [options.storage]
 * @param {(url: string) => void} [options.navigate]
 * @returns {Promise<void>}
 */
export async function startSignIn({
  baseUrl,
  clientId,
  redirectUri,
  scope = 'openid profile email',
  storage = sessionStorage,
  navigate = (url) => location.assign(url),
}) {
  const state = createState();
  const verifier = createVerifier();
  storage.setItem(stateKey, state);
  storage.setItem(verifierKey, verifier);
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: await createChallenge(verifier),
    code_challenge_method: 'S256',
  });
  navigate(`${baseUrl}/oauth/authorize?${query}`);
}

/**
 * Checks the authorization response in the page's URL and exchanges its code for tokens. Each response can be used once.
 * @param {object} options
 * @param {string} options.baseUrl URL of the service, without a trailing slash
 * @param {string} options.clientId
 * @param {string} options.redirectUri the same as for startSignIn
 * @param {string} [options.callbackUrl] URL of the callback, with its query
 * @param {Storage} [options.storage]
 * @param {typeof fetch} [options.send]
 * @returns {Promise<{access_token: string, token_type: string, expires_in: number, refresh_token?: string, scope:
 *   string, id_token?: string}>}
 * @throws {SignInError} `state_mismatch`, `iss_mismatch`, `invalid_response`, or an error code from the service
 */
export async function finishSignIn({
  baseUrl,
  clientId,
  redirectUri,
  callbackUrl = location.href,
  storage = sessionStorage,
  send = fetch,
}) {
  const state = storage.getItem(stateKey);
  const verifier = storage.getItem(verifierKey);
  storage.removeItem(stateKey);
  storage.removeItem(verifierKey);

  const query = new URL(callbackUrl).searchParams;
  if (!state || !verifier || getSingle(query, 'state') !== state) throw new SignInError('state_mismatch');
  // Reject responses from other services (RFC 9207 §2.4).
  if (query.has('iss') && getSingle(query, 'iss') !== baseUrl) throw new SignInError('iss_mismatch');
  if (query.has('error'))
    throw new SignInError(
      getSingle(query, 'error') ?? 'invalid_response',
      query.get('error_description') ?? undefined,
    );
  const code = getSingle(query, 'code');
  if (!code) throw new SignInError('invalid_response');

  const response = await send(`${baseUrl}/oauth/token`, {
    method: 'POST',
    // Public clients have no client_secret.
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: verifier,
    }),
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new SignInError(body.error ?? 'invalid_response', body.error_description);
  return body;
}

/**
 * Returns undefined for a missing or repeated parameter.
 * @param {URLSearchParams} query
 * @param {string} name
 * @returns {string | undefined}
 */
function getSingle(query, name) {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
