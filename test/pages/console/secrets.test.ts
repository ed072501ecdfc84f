import { describe, expect, test } from 'vitest';
import { isWellFormedApiSecret, isWellFormedClientSecret } from '../../../src/oauth/secrets.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import { expireOlderSecrets, listSecrets } from '../../../src/store/secrets.ts';
import { createApiWithSecret, introspect } from '../../support/apis.ts';
import type { Visit } from '../../support/browser-session.ts';
import { apiPath, clientPath, type FormFields, postFields, submitForm } from '../../support/console-forms.ts';
import { readFormErrors } from '../../support/markup.ts';
import { createSignedInUser, obtainTokens, redeemRefreshToken } from '../../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';
import { rotateClientSecret, sql } from '../../support/store-fixtures.ts';

const service = useTestService();
const otherProcess = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

const advance = (seconds: number) => {
  for (const process of [service, otherProcess]) process.clock.advance(seconds);
};

type ResourceKind = 'application' | 'api';

const readSecret = ({ body }: Visit): string =>
  /<code class="whole" id="(?:client|api)-secret" data-once>([^<]*)</.exec(body)?.[1] ?? '';

async function createOwnedResource(kind: ResourceKind, fields = {}) {
  const { user, browser } = await createSignedInUser(service);
  const api = kind === 'api' ? await createApiWithSecret(service, { ownerId: user.userId }) : undefined;
  const application = api ? undefined : await service.createClient({ ownerId: user.userId, ...fields });
  const id = api?.apiId ?? application?.clientId ?? '';
  const buildPath = (below = '') => (kind === 'api' ? apiPath : clientPath)(id, below);
  const isAccepted = async (secret: string) => {
    const responses = await Promise.all(
      [service, otherProcess].map((one) =>
        api
          ? introspect(one, { ...api, secret }, 'x')
          : application &&
            redeemRefreshToken(one, { ...application, clientSecret: secret }, 'no refresh token'),
      ),
    );
    const [first, second] = responses.map((response) => response?.status !== 401);
    expect(first).toBe(second);
    return first;
  };
  return {
    ...{
      user,
      browser,
      id,
      buildPath,
      isAccepted,
      application,
      first: api?.secret ?? application?.clientSecret ?? '',
    },
    live: () => listSecrets(service.services.database, user.userId, id, service.clock.now()),
    rotate: (overlap: string, more: FormFields = {}) =>
      submitForm(browser, buildPath('/secrets'), { overlap, ...more }),
    end: (number: number, more: FormFields = {}) =>
      submitForm(browser, buildPath(`/secrets/${number}/end`), more),
  };
}
const listSecretNumbers = async ({ live }: Awaited<ReturnType<typeof createOwnedResource>>) =>
  (await live()).map(({ number }) => number);

describe.each<ResourceKind>(['application', 'api'])('the secrets of an %s', (kind) => {
  test('are both valid during the overlap after a rotation', async () => {
    const owned = await createOwnedResource(kind);
    const result = await owned.rotate('3600');
    expect(result.body).toContain(`id="${kind === 'api' ? 'api' : 'client'}-id">${owned.id}<`);
    const secret = readSecret(result);
    expect((kind === 'api' ? isWellFormedApiSecret : isWellFormedClientSecret)(secret)).toBe(true);
    expect([await owned.isAccepted(owned.first), await owned.isAccepted(secret)]).toEqual([true, true]);
    expect(await listSecretNumbers(owned)).toEqual([2, 1]);
    advance(3601);
    expect([await owned.isAccepted(owned.first), await owned.isAccepted(secret)]).toEqual([false, true]);
    const thirdSecret = readSecret(await owned.rotate('0', { current_password: PASSWORD }));
    expect([await owned.isAccepted(secret), await owned.isAccepted(thirdSecret)]).toEqual([false, true]);
  });

  test('are rotated again on resubmission with a different overlap', async () => {
    const owned = await createOwnedResource(kind);
    const { hidden } = await owned.browser.get(owned.buildPath('/secrets'));
    const submitOverlap = (overlap: string) =>
      postFields(owned.browser, owned.buildPath('/secrets'), { ...hidden, overlap });
    const secondSecret = readSecret(await submitOverlap('86400'));
    const thirdSecret = readSecret(await submitOverlap('0'));
    expect(await listSecretNumbers(owned)).toEqual([3]);
    expect([
      await owned.isAccepted(owned.first),
      await owned.isAccepted(secondSecret),
      await owned.isAccepted(thirdSecret),
    ]).toEqual([false, false, true]);
  });

  test('include only the two most recent ones', async () => {
    const owned = await createOwnedResource(kind);
    const secondSecret = readSecret(await owned.rotate('604800'));
    await owned.rotate('3600');
    expect([await owned.isAccepted(owned.first), await owned.isAccepted(secondSecret)]).toEqual([
      false,
      true,
    ]);
    expect(await listSecretNumbers(owned)).toEqual([3, 2]);
    await sql(service.services.database, 'delete from secrets where holder = $1', [owned.id]);
    await owned.rotate('0');
    expect(await listSecretNumbers(owned)).toEqual([4]);
  });

  test('are not rotated if the overlap is invalid', async () => {
    const owned = await createOwnedResource(kind);
    for (const overlap of ['', '-1', '604801', '1', 'NaN', '3600 ']) {
      const response = await owned.browser.follow(await owned.rotate(overlap));
      expect([overlap, ...readFormErrors(response.body)]).toEqual([overlap, 'Choose one of the options.']);
      expect(response.body).toMatch(/<option value="86400" selected>/);
    }
    expect(await listSecretNumbers(owned)).toEqual([1]);
  });

  test('can be revoked only after confirmation', async () => {
    const owned = await createOwnedResource(kind);
    await owned.rotate('86400');
    const hasWarning = async (number: number) =>
      (await owned.browser.get(owned.buildPath(`/secrets/${number}/end`))).body.includes(
        'No other secret remains active',
      );
    expect([await hasWarning(1), await hasWarning(2)]).toEqual([false, true]);
    expect(await owned.isAccepted(owned.first), 'the confirmation page revokes nothing').toBe(true);
    const { hidden } = await owned.browser.get(owned.buildPath('/secrets/1/end'));
    for (const _ of [1, 2]) {
      const response = await postFields(owned.browser, owned.buildPath('/secrets/1/end'), hidden);
      expect([response.status, response.location?.search]).toEqual([303, '?done=ended']);
    }
    expect([await owned.isAccepted(owned.first), await listSecretNumbers(owned)]).toEqual([false, [2]]);
    for (const number of ['1', '0', '-1', '99999999999999', 'x', '1%00'])
      expect((await owned.browser.get(owned.buildPath(`/secrets/${number}/end`))).status, number).toBe(404);
    await owned.end(2);
    expect((await owned.browser.get(owned.buildPath('/secrets'))).body).toContain('No active secret');
    expect(readSecret(await owned.rotate('0'))).not.toBe('');
  });

  test('can be created or revoked only after re-authentication', async () => {
    const owned = await createOwnedResource(kind);
    advance(15 * 60 + 1);
    for (const response of [await owned.rotate('0'), await owned.end(1)])
      expect(readFormErrors((await owned.browser.follow(response)).body)).toEqual([
        'Enter your current password.',
      ]);
    expect(await listSecretNumbers(owned)).toEqual([1]);
    await owned.rotate('3600', { current_password: PASSWORD });
    await owned.end(1); // the re-authentication above counts as a recent sign-in
    const filter = kind === 'api' ? { apiId: owned.id } : { clientId: owned.id };
    const events = await listEvents(service.services.database, filter, { limit: 5 });
    const prefix = kind === 'api' ? 'api_' : '';
    expect(events.map((event) => [event.kind, event.actorId, event.detail])).toEqual([
      [`${prefix}secret_ended`, owned.user.userId, { number: 1 }],
      [`${prefix}secret_rotated`, owned.user.userId, { number: 2, overlap: 3600 }],
    ]);
  });

  test('are not shown on the page of a different kind of resource', async () => {
    const { browser, id } = await createOwnedResource(kind);
    expect((await browser.get((kind === 'api' ? clientPath : apiPath)(id, '/secrets'))).status).toBe(404);
  });
});

test('at most two secrets are active after concurrent rotations', async () => {
  const owned = await createOwnedResource('application');
  await Promise.all(
    [service, otherProcess, service, otherProcess].map(({ services }) =>
      rotateClientSecret(services.database, owned.id, 3600, services.now()),
    ),
  );
  expect(await listSecretNumbers(owned)).toEqual([5, 4]);
});

test('a refresh token can be redeemed with the new secret after a rotation', async () => {
  const { application, rotate, browser } = await createOwnedResource('application');
  if (application === undefined) throw new Error('no application');
  const { refreshToken } = await obtainTokens(service, application, browser);
  const clientSecret = readSecret(await rotate('0'));
  expect((await redeemRefreshToken(service, { ...application, clientSecret }, refreshToken)).status).toBe(
    200,
  );
});

test('the secrets page of a public application returns 404', async () => {
  const { browser, buildPath } = await createOwnedResource('application', { type: 'public' });
  expect((await browser.get(buildPath())).body).not.toContain('/secrets');
  expect((await browser.get(buildPath('/secrets'))).status).toBe(404);
  const { hidden } = await browser.get(buildPath('/edit'));
  expect((await postFields(browser, buildPath('/secrets'), { ...hidden, overlap: '0' })).status).toBe(404);
});

test("the account overview warns about an API's expiring secret", async () => {
  const { browser, id, end, rotate, buildPath } = await createOwnedResource('api');
  const pageIncludes = async (path: string, text: string) => (await browser.get(path)).body.includes(text);
  await end(1);
  expect(await pageIncludes(buildPath(), 'Your API must verify every token')).toBe(true);
  await rotate('0');
  expect(await pageIncludes(buildPath(), 'Your API must verify every token')).toBe(false);
  expect(await pageIncludes('/account', 'The last secret of the API Archives')).toBe(false);
  const expiresAt = new Date(service.clock.now().getTime() + 3600_000);
  await expireOlderSecrets(service.services.database, id, 3, expiresAt, service.clock.now());
  expect(await pageIncludes('/account', 'The last secret of the API Archives')).toBe(true);
});
