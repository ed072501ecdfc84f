// Sign-in methods as shown on the activity page, in metrics and to administrators.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminAccountPath, createSignedInAdmin } from '../../support/admin.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { sendHttpRequest } from '../../support/http-request.ts';
import { readText } from '../../support/markup.ts';
import { parseMetrics } from '../../support/metrics-text.ts';
import {
  createMfaAccount,
  createTotpCode,
  enterPassword,
  submitSecondFactor,
} from '../../support/mfa-account.ts';
import { registerPasskey, signInWithPasskey } from '../../support/passkey.ts';
import { findFreePort, startTestService, type TestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

let service: TestService;
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await findFreePort();
  service = await startTestService({ METRICS_PORT: String(metricsPort) });
});
afterAll(() => service.close());

const readListedSignIns = (body: string): string[] =>
  [...body.matchAll(/>Sign-in<\/p>\s*<p class="quiet">(.*?)<\/p>/g)].map(([, text = '']) =>
    readText(text).replace(/\s+/g, ' ').trim(),
  );

async function readSignInCounts(): Promise<Record<string, number>> {
  const { text } = await sendHttpRequest(metricsPort, '/metrics');
  return Object.fromEntries(
    parseMetrics(text)
      .samples.filter(({ name }) => name === 'sesame_sign_ins_total')
      .map(({ labels, value }) => [labels.method, value]),
  );
}

test('the activity page shows the method of each sign-in', async () => {
  const before = await readSignInCounts();
  expect(before).toMatchObject({ password: 0, 'password+app': 0, passkey: 0 });
  const { user, secret, codes, browser } = await createMfaAccount(service);
  const appSignIn = await enterPassword(service, user);
  await submitSecondFactor(appSignIn.browser, appSignIn.page, {
    code: createTotpCode(service, secret),
    trust: 'yes',
  });
  const recoverySignIn = await enterPassword(service, user);
  await submitSecondFactor(recoverySignIn.browser, recoverySignIn.page, { code: codes[0] ?? '' });
  appSignIn.browser.cookies.delete('sesame');
  await enterPassword(service, user, appSignIn.browser);
  const admin = await createSignedInAdmin(service);
  expect((await admin.browser.get(adminAccountPath(user.userId))).body).toContain(
    'Password, in a trusted browser',
  );
  await signInWithPasskey(service, (await registerPasskey(browser, service)).passkey);

  const page = await browser.get('/account/activity');
  const origin = '· Unknown device · 127.0.0.1';
  expect(readListedSignIns(page.body)).toEqual([
    `Passkey ${origin}`,
    `Password, in a trusted browser ${origin}`,
    `Password and a recovery code ${origin}`,
    `Password and authenticator app ${origin}`,
    `Password ${origin}`,
  ]);
  await sql(service.services.database, 'update users set password_hash = null where id = $1', [user.userId]);
  const recoveryBrowser = openBrowserSession(service.baseUrl);
  const { hidden } = await recoveryBrowser.get('/signin/recovery');
  await recoveryBrowser.post('/signin/recovery', { ...hidden, email: user.email, code: codes[1] ?? '' });
  expect(await readSignInCounts()).toEqual({
    password: 2,
    'password+app': 1,
    'password+recovery_code': 1,
    'password+trusted': 1,
    passkey: 1,
    recovery_code: 1,
    // Provider sign-ins are tested in test/providers/session.test.ts.
    provider: 0,
    'provider+app': 0,
    'provider+recovery_code': 0,
    'provider+trusted': 0,
  });
});
