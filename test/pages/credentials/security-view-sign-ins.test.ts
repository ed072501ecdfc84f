// The last sign-ins in the account: when, by what, with which browser; and the same in /metrics and for operators.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { httpRequest } from '../../support/http-request.ts';
import { readMetrics } from '../../support/metrics-text.ts';
import { accountPath, signedInOperator } from '../../support/operator.ts';
import { enrol, showPasskey } from '../../support/passkey.ts';
import { sql } from '../../support/populate.ts';
import { codeOf, give, halfWay, protect } from '../../support/protected-account.ts';
import { freePort, startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await freePort();
  service = await startTestService({ METRICS_PORT: String(metricsPort) });
});
afterAll(() => service.close());

/** What stands in the list, latest first. */
const listed = (body: string): string[] => {
  const list = /<dl[^>]*id="sign-ins">([\s\S]*?)<\/dl>/.exec(body)?.[1] ?? '';
  return [...list.matchAll(/<dd>([\s\S]*?)<\/dd>/g)].map(([, text = '']) =>
    text
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
};

async function signInsCounted(): Promise<Record<string, number>> {
  const { text } = await httpRequest(metricsPort, '/metrics');
  return Object.fromEntries(
    readMetrics(text)
      .samples.filter(({ name }) => name === 'sesame_sign_ins_total')
      .map(({ labels, value }) => [labels.method, value]),
  );
}

test('each says by what it was, the latest five first; they are counted alike', async () => {
  const before = await signInsCounted();
  expect(before).toMatchObject({ password: 0, 'password+app': 0, passkey: 0 });
  const { user, secret, codes, browser } = await protect(service);
  const withApp = await halfWay(service, user);
  await give(withApp.browser, withApp.page, { code: codeOf(service, secret), trust: 'yes' });
  const withCode = await halfWay(service, user);
  await give(withCode.browser, withCode.page, { code: codes[0] ?? '' });
  withApp.browser.cookies.delete('sesame');
  await halfWay(service, user, withApp.browser);
  const operator = await signedInOperator(service);
  expect((await operator.browser.get(accountPath(user.userId))).body).toContain(
    'Password, in a trusted browser',
  );
  await showPasskey(service, (await enrol(browser, service)).passkey);

  const page = await browser.get('/account/security');
  const where = 'Unknown device, 127.0.0.1';
  expect(listed(page.body)).toEqual([
    `Passkey ${where}`,
    `Password, in a trusted browser ${where}`,
    `Password and a recovery code ${where}`,
    `Password and authenticator app ${where}`,
    `Password ${where}`,
  ]);
  await sql(service.parts.database, 'update users set password_hash = null where id = $1', [user.userId]);
  const recovering = openBrowserSession(service.baseUrl);
  const { hidden } = await recovering.get('/signin/recovery');
  await recovering.post('/signin/recovery', { ...hidden, email: user.email, code: codes[1] ?? '' });
  expect(await signInsCounted()).toEqual({
    password: 2,
    'password+app': 1,
    'password+recovery_code': 1,
    'password+trusted': 1,
    passkey: 1,
    recovery_code: 1,
  });
});
