// The RP-Initiated Logout OP plan of the OpenID Foundation.
import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { en } from '../../src/i18n/en.ts';
import type { Visit } from '../support/browser-session.ts';
import { startTestService } from '../support/service.ts';
import { expectHttps, publishedInProduction } from './in-production.ts';
import { BACK, type LogoutParty, openLogoutParty } from './logout.ts';

let rp: LogoutParty;
const service = await startTestService();
afterAll(() => service.close());
beforeEach(async () => {
  rp = await openLogoutParty(service, null);
});

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Refused on a page, nobody led away, nobody signed out. */
async function expectErrorPage(visit: Visit): Promise<void> {
  expect([visit.status, visit.location]).toEqual([400, undefined]);
  expect(visit.body).not.toMatch(/(href|action)="https:\/\/client\.example/);
  expect(await rp.isSignedIn()).toBe(true);
}

/** The person is asked; who agrees is signed out and stays here. */
async function expectConfirmation(visit: Visit): Promise<void> {
  expect([visit.status, visit.location]).toEqual([200, undefined]);
  expect(visit.body).toContain('action="/signout"');
  expect(visit.hidden).not.toHaveProperty('logout');
  expect(await rp.isSignedIn()).toBe(true);
  await expectSignedOutPage(await rp.browser.follow(await rp.browser.post('/signout', visit.hidden)));
}

/** The page says that the address is not registered; who agrees is signed out and stays here. */
async function expectStranded(visit: Visit): Promise<void> {
  expect(visit.body).toContain('send you on to a URL that it has not registered');
  expect(visit.body).not.toMatch(/(href|action)="https:\/\/client\.example/);
  await expectConfirmation(visit);
}

async function expectSignedOutPage(visit: Visit): Promise<void> {
  expect([visit.status, visit.location]).toEqual([200, undefined]);
  expect(visit.body).toContain(en.signOut.done);
  expect(await rp.isSignedIn()).toBe(false);
}

describe('oidcc-rp-initiated-logout-certification-test-plan', () => {
  test('oidcc-rp-initiated-logout-discovery-endpoint-verification', async () => {
    const { discovery, issuer } = await publishedInProduction();
    expectHttps(discovery);
    expect(discovery.end_session_endpoint).toBe(`${issuer}/oauth/logout`);
  });

  test('oidcc-rp-initiated-logout', async () => {
    expect((await rp.logOut(rp.whole())).location?.href).toBe(`${BACK}?state=${rp.state}`);
    expect(await rp.isSignedIn()).toBe(false);
  });

  test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', async () => {
    const bad = { ...rp.whole(), post_logout_redirect_uri: 'https://client.example/elsewhere' };
    await expectStranded(await rp.logOut(bad));
  });

  test('oidcc-rp-initiated-logout-modified-id-token-hint', async () => {
    const [, payload] = rp.signedIn.idToken.split('.');
    await expectErrorPage(
      await rp.logOut({ ...rp.whole(), id_token_hint: `${encode({ alg: 'none' })}.${payload}.` }),
    );
  });

  test('oidcc-rp-initiated-logout-no-id-token-hint', async () => {
    await expectConfirmation(await rp.logOut({ post_logout_redirect_uri: BACK, state: rp.state }));
  });

  test('oidcc-rp-initiated-logout-no-params', async () => {
    await expectConfirmation(await rp.logOut({}));
  });

  test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', async () => {
    const { id_token_hint, state } = rp.whole() as Record<'id_token_hint' | 'state', string>;
    await expectSignedOutPage(await rp.logOut({ id_token_hint, state }));
  });

  test('oidcc-rp-initiated-logout-no-state', async () => {
    const { state: _, ...rest } = rp.whole();
    expect((await rp.logOut(rest)).location?.href).toBe(BACK);
    expect(await rp.isSignedIn()).toBe(false);
  });

  test('oidcc-rp-initiated-logout-only-state', async () => {
    await expectConfirmation(await rp.logOut({ state: rp.state }));
  });

  test('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', async () => {
    const added = { ...rp.whole(), post_logout_redirect_uri: `${BACK}?foo=bar` };
    await expectStranded(await rp.logOut(added));
  });

  test('oidcc-rp-initiated-logout-bad-id-token-hint', async () => {
    const [, payload] = rp.signedIn.idToken.split('.');
    const input = `${encode({ alg: 'HS256' })}.${payload}`;
    const signature = createHmac('sha256', rp.application.clientSecret).update(input).digest('base64url');
    await expectErrorPage(await rp.logOut({ ...rp.whole(), id_token_hint: `${input}.${signature}` }));
  });

  // The suite has each parameter missing once; here is every mix, with the application named by client_id.
  const NAMES = ['client_id', 'post_logout_redirect_uri', 'state'] as const;
  const mixes = Array.from({ length: 2 ** NAMES.length }, (_, mix) =>
    NAMES.filter((_, bit) => (mix & (1 << bit)) !== 0),
  );

  test('every mix of parameters with a hint signs out', async () => {
    for (const mix of mixes) {
      rp = await openLogoutParty(service, null);
      const all: Record<string, string> = { ...rp.whole(), client_id: rp.application.clientId };
      for (const name of NAMES) if (!mix.includes(name)) delete all[name];
      const visit = await rp.logOut(all);
      const back = all.state === undefined ? BACK : `${BACK}?state=${rp.state}`;
      if (all.post_logout_redirect_uri === undefined) await expectSignedOutPage(visit);
      else expect(visit.location?.href, `${mix}`).toBe(back);
      expect(await rp.isSignedIn(), `${mix}`).toBe(false);
    }
  });

  test('without a hint nobody is signed out unasked, whatever else is sent', async () => {
    for (const mix of mixes) {
      rp = await openLogoutParty(service, null);
      const sent = Object.fromEntries(
        Object.entries({ ...rp.whole(), client_id: rp.application.clientId }).filter(([name]) =>
          mix.some((one) => one === name),
        ),
      );
      const visit = await rp.logOut(sent);
      expect([visit.status, visit.location], `${mix}`).toEqual([200, undefined]);
      expect(await rp.isSignedIn(), `${mix}`).toBe(true);
      const after = await rp.browser.post('/signout', visit.hidden);
      const known = sent.client_id !== undefined && sent.post_logout_redirect_uri !== undefined;
      const back = sent.state === undefined ? BACK : `${BACK}?state=${rp.state}`;
      expect(after.location?.href, `${mix}`).toBe(known ? back : `${service.baseUrl}/?signed-out=1`);
      expect(await rp.isSignedIn(), `${mix}`).toBe(false);
    }
  });
});
