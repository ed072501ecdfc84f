// Tests examples/button/signin.js: random values, PKCE, storage, and validation of the response.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  createChallenge,
  createState,
  createVerifier,
  finishSignIn,
  randomString,
  startSignIn,
} from '../../examples/button/signin.js';

const UNRESERVED_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const client = {
  baseUrl: 'https://sesame.example.org',
  clientId: 'app_1',
  redirectUri: 'https://app.example.org/back?from=sesame',
};
const tokens = {
  access_token: 'a.b.c',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'r',
  scope: 'openid profile email',
};

/** Creates a Storage that exposes its contents. */
function createStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

/** Creates a byte source that returns the given bytes in order and records the requested lengths. */
function createByteSource(bytes: number[]) {
  const requestedLengths: number[] = [];
  const fill = (target: Uint8Array) => {
    requestedLengths.push(target.length);
    target.set(bytes.splice(0, target.length));
    return target;
  };
  return { requestedLengths, fill };
}

/** @returns the storage and the authorization URL */
async function beginSignIn(scope?: string) {
  const store = createStorage();
  const navigate = vi.fn<(url: string) => void>();
  await startSignIn({ ...client, storage: store, navigate, ...(scope ? { scope } : {}) });
  const url = navigate.mock.lastCall?.[0] ?? '';
  return { store, url, query: new URL(url).searchParams };
}

function createFetchStub(body: unknown, status = 200) {
  return vi.fn<typeof fetch>(async () => Response.json(body, { status }));
}

/** Finishes a sign-in with the given response parameters. By default, `state` is the value from the request. */
async function completeSignIn(parameters: Record<string, string>, send = createFetchStub(tokens)) {
  const { store, query } = await beginSignIn();
  const callback = new URLSearchParams({ state: query.get('state') ?? '', ...parameters });
  const callbackUrl = `https://app.example.org/back?from=sesame&${callback}`;
  const finished = finishSignIn({ ...client, callbackUrl, storage: store, send });
  return { store, send, callbackUrl, finished };
}

describe('randomString', () => {
  test('returns a string of the requested length from an alphabet of 66 characters', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), (length) => {
        const text = randomString(length);
        expect(text).toHaveLength(length);
        expect(text).toMatch(/^[A-Za-z0-9\-._~]*$/);
      }),
    );
  });

  test('maps bytes 0 to 197 to three repetitions of the alphabet', () => {
    const bytes = Array.from({ length: 198 }, (_, byte) => byte);
    expect(randomString(198, createByteSource(bytes).fill)).toBe(UNRESERVED_CHARACTERS.repeat(3));
  });

  test('discards bytes of 198 or more to avoid modulo bias', () => {
    const biased = Array.from({ length: 58 }, (_, index) => 198 + index);
    const { requestedLengths, fill } = createByteSource([...biased, 0, 65]);
    expect(randomString(2, fill)).toBe('A~');
    expect(requestedLengths).toHaveLength(30);
  });

  test('requests one more byte for each discarded byte', () => {
    const { requestedLengths, fill } = createByteSource([0, 255, 1, 198, 197, 2]);
    expect(randomString(4, fill)).toBe('AB~C');
    expect(requestedLengths).toEqual([4, 2]);
  });

  test('returns 32 characters for a state and 64 characters for a verifier', () => {
    expect(createState()).toHaveLength(32);
    expect(createVerifier()).toHaveLength(64);
    expect(new Set(Array.from({ length: 1000 }, createState)).size).toBe(1000);
  });
});

describe('a PKCE challenge', () => {
  test('matches the example in RFC 7636 appendix B', async () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    expect(await createChallenge(verifier)).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });

  test('is always 43 base64url characters without padding', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...UNRESERVED_CHARACTERS), minLength: 43, maxLength: 128 }),
        async (verifier) => {
          expect(await createChallenge(verifier)).toMatch(/^[A-Za-z0-9_-]{43}$/);
        },
      ),
    );
  });
});

describe('startSignIn', () => {
  test('redirects to the authorization endpoint with a state and a PKCE challenge', async () => {
    const { url, query, store } = await beginSignIn();
    const [state = '', verifier = ''] = store.items.values();
    expect(url).toMatch(/^https:\/\/sesame\.example\.org\/oauth\/authorize\?/);
    expect(Object.fromEntries(query)).toEqual({
      client_id: 'app_1',
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state,
      code_challenge: await createChallenge(verifier),
      code_challenge_method: 'S256',
    });
  });

  test('encodes the spaces between scopes as +', async () => {
    expect((await beginSignIn('openid phone')).url).toContain('scope=openid+phone&');
  });

  test('stores the state and the verifier but never sends the verifier', async () => {
    const { url, store } = await beginSignIn();
    const [state = '', verifier = '', ...others] = store.items.values();
    expect([state.length, verifier.length, others.length]).toEqual([32, 64, 0]);
    expect(url).not.toContain(verifier);
  });
});

describe('finishSignIn', () => {
  test('exchanges the code and then clears the state and the verifier', async () => {
    const { store, query } = await beginSignIn();
    const verifier = [...store.items.values()][1];
    const send = createFetchStub(tokens);
    const callback = new URLSearchParams({
      code: 'c',
      state: query.get('state') ?? '',
      iss: client.baseUrl,
    });
    const callbackUrl = `${client.redirectUri}&${callback}`;
    expect(await finishSignIn({ ...client, callbackUrl, storage: store, send })).toEqual(tokens);

    const [url, request] = send.mock.lastCall ?? [];
    expect(url).toBe('https://sesame.example.org/oauth/token');
    expect(request?.method).toBe('POST');
    expect(Object.fromEntries(request?.body as URLSearchParams)).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: client.redirectUri,
      client_id: 'app_1',
      code_verifier: verifier,
    });
    expect(store.items.size).toBe(0);
  });

  test('accepts a response without iss', async () => {
    expect(await (await completeSignIn({ code: 'c' })).finished).toEqual(tokens);
  });

  test.each([
    ['a different state', { code: 'c', state: 'x'.repeat(32) }, 'state_mismatch'],
    ['an empty state', { code: 'c', state: '' }, 'state_mismatch'],
    ['a different issuer', { code: 'c', iss: 'https://evil.example.org' }, 'iss_mismatch'],
    ['an issuer with a trailing slash', { code: 'c', iss: 'https://sesame.example.org/' }, 'iss_mismatch'],
    [
      'an access_denied error',
      { error: 'access_denied', error_description: 'The user refused.' },
      'access_denied',
    ],
    ['a response with both an error and a code', { code: 'c', error: 'server_error' }, 'server_error'],
    ['an error with a wrong state', { error: 'access_denied', state: 'x' }, 'state_mismatch'],
    ['a response without a code', {}, 'invalid_response'],
  ])('rejects %s without sending a request', async (_, parameters, code) => {
    const { store, send, finished } = await completeSignIn(parameters as Record<string, string>);
    await expect(finished).rejects.toMatchObject({ name: 'SignInError', code });
    expect(send).not.toHaveBeenCalled();
    expect(store.items.size).toBe(0);
  });

  test('rejects a response that repeats state or code', async () => {
    for (const name of ['state', 'code']) {
      const { store, query } = await beginSignIn();
      const callback = new URLSearchParams({ code: 'c', state: query.get('state') ?? '' });
      callback.append(name, callback.get(name) ?? '');
      const send = createFetchStub(tokens);
      const finished = finishSignIn({
        ...client,
        callbackUrl: `https://app.example.org/?${callback}`,
        storage: store,
        send,
      });
      await expect(finished).rejects.toMatchObject({
        code: name === 'state' ? 'state_mismatch' : 'invalid_response',
      });
      expect(send).not.toHaveBeenCalled();
    }
  });

  test('rejects replayed and unsolicited responses', async () => {
    const { store, send, callbackUrl, finished } = await completeSignIn({ code: 'c' });
    await finished;
    const replayed = finishSignIn({ ...client, callbackUrl, storage: store, send });
    await expect(replayed).rejects.toMatchObject({ code: 'state_mismatch' });
    expect(send).toHaveBeenCalledTimes(1);
    const unrequested = finishSignIn({
      ...client,
      callbackUrl: 'https://app.example.org/?code=c&state=',
      storage: createStorage(),
      send,
    });
    await expect(unrequested).rejects.toMatchObject({ code: 'state_mismatch' });
  });

  test('throws the token endpoint’s error and clears the state and the verifier', async () => {
    const refusal = createFetchStub({ error: 'invalid_grant', error_description: 'Code expired.' }, 400);
    const { store, finished } = await completeSignIn({ code: 'c' }, refusal);
    await expect(finished).rejects.toMatchObject({ code: 'invalid_grant', message: 'Code expired.' });
    expect(store.items.size).toBe(0);
  });

  test('clears the state and the verifier if the service is unreachable', async () => {
    const unreachable = vi.fn<typeof fetch>(async () => {
      throw new TypeError('fetch failed');
    });
    const { store, finished } = await completeSignIn({ code: 'c' }, unreachable);
    await expect(finished).rejects.toThrow('fetch failed');
    expect(store.items.size).toBe(0);
  });
});
