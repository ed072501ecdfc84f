// Owns sign-in from a page without a server of its own (a public application): authorization code with PKCE.
// A plain ES module without dependencies. Web Crypto needs https, or http://localhost.

/** The unreserved characters of RFC 7636 §4.1. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';

/** The largest multiple of 66 that a byte can hold; bytes from here on would favour the first characters. */
const limit = 256 - (256 % alphabet.length);

const stateKey = 'service_signin_state';
const verifierKey = 'service_signin_code_verifier';

/** Why a sign-in came to nothing; `code` is the service's error code, or one of this module's own. */
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
 * A random string whose characters are all equally likely: bytes of 198 and above are drawn again.
 * @param {number} length
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array} [fill] source of random bytes, as crypto.getRandomValues
 * @returns {string}
 */
export function randomString(length, fill = (bytes) => crypto.getRandomValues(bytes)) {
  let text = '';
  while (text.length < length) {
    for (const byte of fill(new Uint8Array(length - text.length))) {
      if (byte < limit) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/**
 * The value that ties the response to this browser.
 * @returns {string} 32 characters
 */
export function createState() {
  return randomString(32);
}

/**
 * The secret that only this browser can present with the code.
 * @returns {string} 64 characters
 */
export function createVerifier() {
  return randomString(64);
}

/**
 * The S256 code challenge of a verifier (RFC 7636 §4.2).
 * @param {string} verifier
 * @returns {Promise<string>} base64url without padding, 43 characters
 */
export async function challenge(verifier) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Remembers a new state and verifier, then leaves for the service.
 * @param {object} options
 * @param {string} options.baseUrl address of the service, without trailing slash
 * @param {string} options.clientId
 * @param {string} options.redirectUri exactly as registered
 * @param {string} [options.scope] separated by spaces
 * @param {Storage} [options.storage]
 * @param {(address: string) => void} [options.navigate]
 * @returns {Promise<void>}
 */
export async function startSignIn({
  baseUrl,
  clientId,
  redirectUri,
  scope = 'openid profile email',
  storage = sessionStorage,
  navigate = (address) => location.assign(address),
}) {
  const state = createState();
  const verifier = createVerifier();
  storage.setItem(stateKey, state);
  storage.setItem(verifierKey, verifier);
  // URLSearchParams writes the spaces between scopes as `+`
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: await challenge(verifier),
    code_challenge_method: 'S256',
  });
  navigate(`${baseUrl}/oauth/authorize?${query}`);
}

/**
 * Checks the response in the callback's address and exchanges its code for tokens. Whatever comes of it, both stored
 * values are cleared first: a response can be tried once.
 * @param {object} options
 * @param {string} options.baseUrl address of the service, without trailing slash
 * @param {string} options.clientId
 * @param {string} options.redirectUri the same as for startSignIn
 * @param {string} [options.callbackAddress] the address the browser came back to, with its query
 * @param {Storage} [options.storage]
 * @param {typeof fetch} [options.send]
 * @returns {Promise<{access_token: string, token_type: string, expires_in: number, refresh_token?: string, scope: string, id_token?: string}>}
 * @throws {SignInError} `state_mismatch`, `iss_mismatch`, `invalid_response`, or the service's own code such as `access_denied`
 */
export async function finishSignIn({
  baseUrl,
  clientId,
  redirectUri,
  callbackAddress = location.href,
  storage = sessionStorage,
  send = fetch,
}) {
  const state = storage.getItem(stateKey);
  const verifier = storage.getItem(verifierKey);
  storage.removeItem(stateKey);
  storage.removeItem(verifierKey);

  const query = new URL(callbackAddress).searchParams;
  if (!state || !verifier || single(query, 'state') !== state) throw new SignInError('state_mismatch');
  // RFC 9207 §2.4: a response from another service is not for us
  if (query.has('iss') && single(query, 'iss') !== baseUrl) throw new SignInError('iss_mismatch');
  if (query.has('error'))
    throw new SignInError(
      single(query, 'error') ?? 'invalid_response',
      query.get('error_description') ?? undefined,
    );
  const code = single(query, 'code');
  if (!code) throw new SignInError('invalid_response');

  const response = await send(`${baseUrl}/oauth/token`, {
    method: 'POST',
    // a form body; the browser sets the content type. No client_secret: a page cannot keep one
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: verifier,
    }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new SignInError(answer.error ?? 'invalid_response', answer.error_description);
  return answer;
}

/**
 * A parameter that came exactly once.
 * @param {URLSearchParams} query
 * @param {string} name
 * @returns {string | undefined}
 */
function single(query, name) {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
