// An application's secrets: the next one with an overlap, ending one, each shown once.

import { describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { isClientSecretShaped } from '../../../src/oauth/secrets.ts';
import { listSecrets } from '../../../src/store/secrets.ts';
import { newSecret } from '../../support/applications.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import { at, credentialsOn, type Fields, fill, sendFields } from '../../support/console.ts';
import { obtainTokens, renew, signedInBrowser } from '../../support/flow.ts';
import { formErrors, textIn } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const service = useTestService();
const other = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

/** Moves the clock of both. */
const advance = (seconds: number) => {
  for (const one of [service, other]) one.clock.advance(seconds);
};

async function developer(fields = {}) {
  const user = await service.createUser();
  const application = await service.createApplication({ ownerId: user.userId, ...fields });
  const browser = await signedInBrowser(service, user);
  const secrets = (now = service.clock.now()) =>
    listSecrets(service.parts.database, user.userId, application.clientId, now);
  const { clientId } = application;
  const rotate = (overlap: string, more: Fields = {}) =>
    fill(browser, at(clientId, '/secrets'), { overlap, ...more });
  /** Whether a secret authenticates now, at both processes. */
  const works = async (clientSecret: string) => {
    const answers = await Promise.all(
      [service, other].map((one) => renew(one, { ...application, clientSecret }, 'no refresh token')),
    );
    const [first, second] = answers.map(({ status }) => status !== 401);
    expect(first).toBe(second);
    return first;
  };
  return { user, application, browser, clientId, secrets, rotate, works };
}

const end = (browser: BrowserSession, clientId: string, number: number, more: Fields = {}) =>
  fill(browser, at(clientId, `/secrets/${number}/end`), more);

describe('a new secret', () => {
  test('is shown at once; both work for the overlap, then the new one alone (D28)', async () => {
    const { application, rotate, works, secrets, clientId } = await developer();
    const result = await rotate('3600');
    const { clientSecret = '', clientId: shown } = credentialsOn(result);
    expect([result.status, shown]).toEqual([200, clientId]);
    expect(isClientSecretShaped(clientSecret)).toBe(true);
    expect(clientSecret).not.toBe(application.clientSecret);
    expect([await works(application.clientSecret), await works(clientSecret)]).toEqual([true, true]);
    expect((await secrets()).map(({ number, expiresAt }) => [number, expiresAt !== null])).toEqual([
      [2, false],
      [1, true],
    ]);
    advance(3601);
    expect((await secrets()).map(({ number }) => number)).toEqual([2]);
  });

  test('without an overlap ends the old one at once, on every process', async () => {
    const { application, rotate, works } = await developer();
    const { clientSecret = '' } = credentialsOn(await rotate('0'));
    expect([await works(application.clientSecret), await works(clientSecret)]).toEqual([false, true]);
  });

  test('leaves two at most: of the former ones the latest goes on, an older one ends at once (D28)', async () => {
    const { application, rotate, works, secrets, browser, clientId } = await developer();
    const second = credentialsOn(await rotate('604800')).clientSecret ?? '';
    const third = credentialsOn(await rotate('3600')).clientSecret ?? '';
    expect([await works(application.clientSecret), await works(second), await works(third)]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await secrets()).map(({ number }) => number)).toEqual([3, 2]);
    expect((await browser.get(at(clientId, '/secrets'))).body).toContain('At most two secrets');
  });

  test('leaves two at most however many are made at once, from two processes', async () => {
    const { clientId, secrets } = await developer();
    await Promise.all(
      [service, other, service, other].map(({ parts }) =>
        newSecret(parts.database, clientId, 3600, parts.now()),
      ),
    );
    expect((await secrets()).map(({ number }) => number)).toEqual([5, 4]);
  });

  test('leaves tokens alive: the application goes on with its new secret', async () => {
    const { application, rotate, browser } = await developer();
    const { refreshToken } = await obtainTokens(service, application, browser);
    const { clientSecret = '' } = credentialsOn(await rotate('0'));
    expect((await renew(service, { ...application, clientSecret }, refreshToken)).status).toBe(200);
  });

  test('of a form that is sent again: makes nothing more, and leads to what it made', async () => {
    const { browser, clientId, secrets } = await developer();
    const { hidden } = await browser.get(at(clientId, '/secrets'));
    const fields = { ...hidden, overlap: '3600' };
    const move = (address: string | URL) => new URL(String(address), other.baseUrl);
    const elsewhere: BrowserSession = {
      ...browser,
      send: (address, init) => browser.send(move(address), init),
    };
    const answers = await Promise.all(
      [browser, elsewhere, browser, elsewhere].map((one) =>
        sendFields(one, at(clientId, '/secrets'), fields),
      ),
    );
    const shown = answers.map((answer) => credentialsOn(answer).clientSecret);
    expect(new Set(shown).size).toBe(1);
    expect(isClientSecretShaped(shown[0] ?? '')).toBe(true);
    expect((await secrets()).map(({ number }) => number)).toEqual([2, 1]);
    advance(60);
    expect((await sendFields(browser, at(clientId, '/secrets'), fields)).body).not.toContain(shown[0]);
    expect(await secrets()).toHaveLength(2);
  });

  test.each(['', '-1', '604801', '1', 'NaN', '3600 '])(
    'an overlap that is not offered (%j) is refused',
    async (overlap) => {
      const { rotate, secrets } = await developer();
      const answer = await rotate(overlap);
      expect([answer.status, formErrors(answer.body)]).toEqual([400, ['Choose one of the options.']]);
      expect(await secrets()).toHaveLength(1);
    },
  );

  test('numbers are not given again, even when old secrets are gone', async () => {
    const { browser, clientId, secrets, rotate } = await developer();
    await rotate('0');
    await sql(service.parts.database, 'delete from secrets where client_id = $1', [clientId]);
    await rotate('0');
    expect((await secrets()).map(({ number }) => number)).toEqual([3]);
    expect((await browser.get(at(clientId, '/secrets'))).body).toContain('Secret no. 3');
  });
});

describe('ending a secret', () => {
  test('is asked on a page of its own, and counts at once', async () => {
    const { application, browser, clientId, rotate, works, secrets } = await developer();
    await rotate('604800');
    const page = await browser.get(at(clientId, '/secrets/1/end'));
    expect(page.body).toContain('Revoke secret no.\u00a01?');
    expect(page.body).not.toContain('the only active secret');
    expect(await works(application.clientSecret), 'the question ends nothing').toBe(true);
    const answer = await end(browser, clientId, 1);
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=ended']);
    expect(await works(application.clientSecret)).toBe(false);
    expect((await secrets()).map(({ number }) => number)).toEqual([2]);
  });

  test('says what remains and until when, before and after', async () => {
    const { browser, clientId, rotate, secrets } = await developer();
    const made = await rotate('86400');
    const [second, first] = await secrets();
    const until = `until ${textIn(messagesFor('en').instant(first?.expiresAt ?? new Date(0)))}`;
    const sentence = (words: string, number: number, ending = '', end = '') =>
      `${words} secret no. ${number} (…${ending}), ${end}.`;
    const left = async (path: string) => textIn((await browser.get(at(clientId, path))).body);

    expect(textIn(made.body)).toContain(sentence('Still active:', 1, first?.ending ?? '', until));
    const beforeFirst = await left('/secrets/1/end');
    expect(beforeFirst).toContain(
      sentence('Still active afterwards:', 2, second?.ending ?? '', 'no expiry date'),
    );
    expect(beforeFirst).not.toContain('no secret');
    const beforeSecond = await left('/secrets/2/end');
    expect(beforeSecond).toContain(sentence('Still active afterwards:', 1, first?.ending ?? '', until));
    expect(beforeSecond).toContain('After that, the application will have no secret');

    // Two that remain are said in one sentence.
    expect(await left('/secrets?done=ended')).toContain(
      `no expiry date, and secret no. 1 (…${first?.ending}), ${until}.`,
    );

    const after = textIn((await browser.follow(await end(browser, clientId, 2))).body);
    expect(after).toContain('The secret you chose has been revoked');
    expect(after).toContain(sentence('Now active:', 1, first?.ending ?? '', until));
  });

  test('a third one names the secret that ends at once for it', async () => {
    const { browser, clientId, rotate, secrets } = await developer();
    const words = 'Creating the new one will therefore revoke';
    expect((await browser.get(at(clientId, '/secrets'))).body).not.toContain(words);
    await rotate('86400');
    const [, first] = await secrets();
    expect(textIn((await browser.get(at(clientId, '/secrets'))).body)).toContain(
      `${words} secret no. 1 (…${first?.ending}).`,
    );
  });

  test('when it is the last one, the page says what that means', async () => {
    const { application, browser, clientId, works } = await developer();
    const page = await browser.get(at(clientId, '/secrets/1/end'));
    expect(page.body).toContain('This is the only active secret');
    const done = await browser.follow(await end(browser, clientId, 1));
    expect(done.body).toContain('No secret is active');
    expect(await works(application.clientSecret)).toBe(false);
    expect(
      isClientSecretShaped(
        credentialsOn(await fill(browser, at(clientId, '/secrets'), { overlap: '0' })).clientSecret ?? '',
      ),
    ).toBe(true);
  });

  test('that has ended, or never was: 404, and a second click says the same as the first', async () => {
    const { browser, clientId } = await developer();
    const { hidden } = await browser.get(at(clientId, '/secrets/1/end'));
    const first = await sendFields(browser, at(clientId, '/secrets/1/end'), hidden);
    const second = await sendFields(browser, at(clientId, '/secrets/1/end'), hidden);
    expect([second.status, second.location?.href]).toEqual([303, first.location?.href]);
    for (const number of ['1', '2', '0', '-1', '99999999999999', 'x', '1%00'])
      expect((await browser.get(at(clientId, `/secrets/${number}/end`))).status, number).toBe(404);
  });
});

test('a public application has no secrets: 404 (D12)', async () => {
  const { browser, clientId } = await developer({ type: 'public' });
  expect((await browser.get(at(clientId))).body).not.toContain('/secrets');
  expect((await browser.get(at(clientId, '/secrets'))).status).toBe(404);
  const { hidden } = await browser.get(at(clientId, '/edit'));
  const form = 'A'.repeat(43);
  const fields = { ...hidden, form, overlap: '0' };
  expect((await sendFields(browser, at(clientId, '/secrets'), fields)).status).toBe(404);
});

test('each change needs a recent sign-in, or the password', async () => {
  const { browser, clientId, rotate, secrets } = await developer();
  advance(15 * 60 + 1);
  for (const answer of [await rotate('0'), await end(browser, clientId, 1)])
    expect([answer.status, formErrors(answer.body)]).toEqual([400, ['Enter your current password.']]);
  expect((await secrets()).map(({ number, expiresAt }) => [number, expiresAt])).toEqual([[1, null]]);
  expect((await rotate('604800', { current_password: 'wrong' })).status).toBe(400);
  expect((await rotate('604800', { current_password: PASSWORD })).status).toBe(200);
  expect((await end(browser, clientId, 1)).status, 'which counts as signing in again').toBe(303);
});

test('every change is in the audit log, without the secret', async () => {
  const { browser, clientId, rotate, user } = await developer();
  await rotate('3600');
  await end(browser, clientId, 1);
  const rows = await sql(
    service.parts.database,
    'select kind, actor_id, detail from events where client_id = $1 order by id',
    [clientId],
  );
  expect(rows).toEqual([
    { kind: 'secret_rotated', actor_id: user.userId, detail: { number: 2, overlap: 3600 } },
    { kind: 'secret_ended', actor_id: user.userId, detail: { number: 1 } },
  ]);
});
