// Owns the proof of examples/button/signin.js: random values, challenge, storage, and what a callback must satisfy.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  challenge,
  createState,
  createVerifier,
  finishSignIn,
  randomString,
  startSignIn,
} from '../../examples/button/signin.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const application = {
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

/** A Storage whose contents the test can look at. */
function storage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

/** A byte source that hands out the given bytes in order, and tells how many were asked for. */
function bytesFrom(bytes: number[]) {
  const asked: number[] = [];
  const fill = (target: Uint8Array) => {
    asked.push(target.length);
    target.set(bytes.splice(0, target.length));
    return target;
  };
  return { asked, fill };
}

/** A sign-in that has been started: its storage, the address it left for, the state it sent. */
async function started(scope?: string) {
  const kept = storage();
  const navigate = vi.fn<(address: string) => void>();
  await startSignIn({ ...application, storage: kept, navigate, ...(scope ? { scope } : {}) });
  const address = navigate.mock.lastCall?.[0] ?? '';
  return { kept, address, query: new URL(address).searchParams };
}

function answering(body: unknown, status = 200) {
  return vi.fn<typeof fetch>(async () => Response.json(body, { status }));
}

/** Comes back with the given parameters; `state` is the one sent unless given. */
async function comeBack(parameters: Record<string, string>, send = answering(tokens)) {
  const { kept, query } = await started();
  const callback = new URLSearchParams({ state: query.get('state') ?? '', ...parameters });
  const callbackAddress = `https://app.example.org/back?from=sesame&${callback}`;
  const finished = finishSignIn({ ...application, callbackAddress, storage: kept, send });
  return { kept, send, callbackAddress, finished };
}

describe('random values', () => {
  test('have the length asked for and only the 66 characters', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), (length) => {
        const text = randomString(length);
        expect(text).toHaveLength(length);
        expect(text).toMatch(/^[A-Za-z0-9\-._~]*$/);
      }),
    );
  });

  test('map the bytes 0 to 197 three times over the alphabet', () => {
    const bytes = Array.from({ length: 198 }, (_, byte) => byte);
    expect(randomString(198, bytesFrom(bytes).fill)).toBe(alphabet.repeat(3));
  });

  test('never use a byte of 198 or more, which would favour the first 58 characters', () => {
    const biased = Array.from({ length: 58 }, (_, index) => 198 + index);
    const { asked, fill } = bytesFrom([...biased, 0, 65]);
    expect(randomString(2, fill)).toBe('A~');
    expect(asked).toHaveLength(30);
  });

  test('draw again only what is missing', () => {
    const { asked, fill } = bytesFrom([0, 255, 1, 198, 197, 2]);
    expect(randomString(4, fill)).toBe('AB~C');
    expect(asked).toEqual([4, 2]);
  });

  test('state has 32 characters, verifier 64, and no two are alike', () => {
    expect(createState()).toHaveLength(32);
    expect(createVerifier()).toHaveLength(64);
    expect(new Set(Array.from({ length: 1000 }, createState)).size).toBe(1000);
  });
});

describe('challenge', () => {
  test('is that of RFC 7636 appendix B', async () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    expect(await challenge(verifier)).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });

  test('is always 43 base64url characters without padding', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...alphabet), minLength: 43, maxLength: 128 }),
        async (verifier) => {
          expect(await challenge(verifier)).toMatch(/^[A-Za-z0-9_-]{43}$/);
        },
      ),
    );
  });
});

describe('startSignIn', () => {
  test('goes to the authorize address with the parameters of the contract', async () => {
    const { address, query, kept } = await started();
    const [state = '', verifier = ''] = kept.items.values();
    expect(address).toMatch(/^https:\/\/sesame\.example\.org\/oauth\/authorize\?/);
    expect(Object.fromEntries(query)).toEqual({
      client_id: 'app_1',
      redirect_uri: application.redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state,
      code_challenge: await challenge(verifier),
      code_challenge_method: 'S256',
    });
  });

  test('writes the spaces between scopes as +', async () => {
    expect((await started('openid phone')).address).toContain('scope=openid+phone&');
  });

  test('stores state and verifier, and never sends the verifier', async () => {
    const { address, kept } = await started();
    const [state = '', verifier = '', ...others] = kept.items.values();
    expect([state.length, verifier.length, others.length]).toEqual([32, 64, 0]);
    expect(address).not.toContain(verifier);
  });
});

describe('finishSignIn', () => {
  test('exchanges the code as a public application, without a secret, and clears both values', async () => {
    const { kept, query } = await started();
    const verifier = [...kept.items.values()][1];
    const send = answering(tokens);
    const callback = new URLSearchParams({
      code: 'c',
      state: query.get('state') ?? '',
      iss: application.baseUrl,
    });
    const callbackAddress = `${application.redirectUri}&${callback}`;
    expect(await finishSignIn({ ...application, callbackAddress, storage: kept, send })).toEqual(tokens);

    const [address, request] = send.mock.lastCall ?? [];
    expect(address).toBe('https://sesame.example.org/oauth/token');
    expect(request?.method).toBe('POST');
    expect(Object.fromEntries(request?.body as URLSearchParams)).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: application.redirectUri,
      client_id: 'app_1',
      code_verifier: verifier,
    });
    expect(kept.items.size).toBe(0);
  });

  test('accepts a response without iss', async () => {
    expect(await (await comeBack({ code: 'c' })).finished).toEqual(tokens);
  });

  test.each([
    ['another state', { code: 'c', state: 'x'.repeat(32) }, 'state_mismatch'],
    ['an empty state', { code: 'c', state: '' }, 'state_mismatch'],
    ['another issuer', { code: 'c', iss: 'https://evil.example.org' }, 'iss_mismatch'],
    ['an issuer with a trailing slash', { code: 'c', iss: 'https://sesame.example.org/' }, 'iss_mismatch'],
    ['a refusal', { error: 'access_denied', error_description: 'The user refused.' }, 'access_denied'],
    ['an error beside a code', { code: 'c', error: 'server_error' }, 'server_error'],
    ['an error with another state', { error: 'access_denied', state: 'x' }, 'state_mismatch'],
    ['no code', {}, 'invalid_response'],
  ])('refuses %s, sends nothing and clears both values', async (_, parameters, code) => {
    const { kept, send, finished } = await comeBack(parameters as Record<string, string>);
    await expect(finished).rejects.toMatchObject({ name: 'SignInError', code });
    expect(send).not.toHaveBeenCalled();
    expect(kept.items.size).toBe(0);
  });

  test('refuses a repeated state and a repeated code', async () => {
    for (const name of ['state', 'code']) {
      const { kept, query } = await started();
      const callback = new URLSearchParams({ code: 'c', state: query.get('state') ?? '' });
      callback.append(name, callback.get(name) ?? '');
      const send = answering(tokens);
      const finished = finishSignIn({
        ...application,
        callbackAddress: `https://app.example.org/?${callback}`,
        storage: kept,
        send,
      });
      await expect(finished).rejects.toMatchObject({
        code: name === 'state' ? 'state_mismatch' : 'invalid_response',
      });
      expect(send).not.toHaveBeenCalled();
    }
  });

  test('refuses the same response a second time, and one that was never asked for', async () => {
    const { kept, send, callbackAddress, finished } = await comeBack({ code: 'c' });
    await finished;
    const again = finishSignIn({ ...application, callbackAddress, storage: kept, send });
    await expect(again).rejects.toMatchObject({ code: 'state_mismatch' });
    expect(send).toHaveBeenCalledTimes(1);
    const unasked = finishSignIn({
      ...application,
      callbackAddress: 'https://app.example.org/?code=c&state=',
      storage: storage(),
      send,
    });
    await expect(unasked).rejects.toMatchObject({ code: 'state_mismatch' });
  });

  test("passes on the token endpoint's error, with both values cleared", async () => {
    const refusal = answering({ error: 'invalid_grant', error_description: 'Code expired.' }, 400);
    const { kept, finished } = await comeBack({ code: 'c' }, refusal);
    await expect(finished).rejects.toMatchObject({ code: 'invalid_grant', message: 'Code expired.' });
    expect(kept.items.size).toBe(0);
  });

  test('clears both values also when the service cannot be reached', async () => {
    const unreachable = vi.fn<typeof fetch>(async () => {
      throw new TypeError('fetch failed');
    });
    const { kept, finished } = await comeBack({ code: 'c' }, unreachable);
    await expect(finished).rejects.toThrow('fetch failed');
    expect(kept.items.size).toBe(0);
  });
});
