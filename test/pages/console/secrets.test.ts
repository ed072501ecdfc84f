// The secrets of an application or an API: the next one with an overlap, ending one.
import { describe, expect, test } from 'vitest';
import { isApiSecretShaped, isClientSecretShaped } from '../../../src/oauth/secrets.ts';
import { listEvents } from '../../../src/store/events.ts';
import { expireFormerSecrets, listSecrets } from '../../../src/store/secrets.ts';
import { apiWithSecret, introspect } from '../../support/apis.ts';
import type { Visit } from '../../support/browser-session.ts';
import { at, atApi, type Fields, fill, sendFields } from '../../support/console.ts';
import { newPerson, obtainTokens, renew } from '../../support/flow.ts';
import { formErrors } from '../../support/markup.ts';
import { newSecret, sql } from '../../support/populate.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const service = useTestService();
const other = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

/** Moves the clock of both. */
const advance = (seconds: number) => {
  for (const one of [service, other]) one.clock.advance(seconds);
};

type Kind = 'application' | 'api';

const secretOn = ({ body }: Visit): string =>
  /<code class="whole" id="(?:client|api)-secret" data-once>([^<]*)</.exec(body)?.[1] ?? '';

/** Something with one secret. */
async function owned(kind: Kind, fields = {}) {
  const { user, browser } = await newPerson(service);
  const api = kind === 'api' ? await apiWithSecret(service, { ownerId: user.userId }) : undefined;
  const application = api ? undefined : await service.createApplication({ ownerId: user.userId, ...fields });
  const id = api?.apiId ?? application?.clientId ?? '';
  const page = (below = '') => (kind === 'api' ? atApi : at)(id, below);
  const works = async (secret: string) => {
    const answers = await Promise.all(
      [service, other].map((one) =>
        api
          ? introspect(one, { ...api, secret }, 'x')
          : application && renew(one, { ...application, clientSecret: secret }, 'no refresh token'),
      ),
    );
    const [first, second] = answers.map((answer) => answer?.status !== 401);
    expect(first).toBe(second);
    return first;
  };
  return {
    ...{ user, browser, id, page, works, application, first: api?.secret ?? application?.clientSecret ?? '' },
    live: () => listSecrets(service.parts.database, user.userId, id, service.clock.now()),
    rotate: (overlap: string, more: Fields = {}) => fill(browser, page('/secrets'), { overlap, ...more }),
    end: (number: number, more: Fields = {}) => fill(browser, page(`/secrets/${number}/end`), more),
  };
}
const numbersOf = async ({ live }: Awaited<ReturnType<typeof owned>>) =>
  (await live()).map(({ number }) => number);

describe.each<Kind>(['application', 'api'])('of an %s', (kind) => {
  test('a new one is shown, and works beside the one before it for the overlap, then alone', async () => {
    const one = await owned(kind);
    const result = await one.rotate('3600');
    expect(result.body).toContain(`id="${kind === 'api' ? 'api' : 'client'}-id">${one.id}<`);
    const secret = secretOn(result);
    expect((kind === 'api' ? isApiSecretShaped : isClientSecretShaped)(secret)).toBe(true);
    expect([await one.works(one.first), await one.works(secret)]).toEqual([true, true]);
    expect(await numbersOf(one)).toEqual([2, 1]);
    advance(3601);
    expect([await one.works(one.first), await one.works(secret)]).toEqual([false, true]);
    const third = secretOn(await one.rotate('0', { current_password: PASSWORD }));
    expect([await one.works(secret), await one.works(third)]).toEqual([false, true]);
  });

  test('the same form with another overlap makes another one, and ends the others by that', async () => {
    const one = await owned(kind);
    const { hidden } = await one.browser.get(one.page('/secrets'));
    const send = (overlap: string) => sendFields(one.browser, one.page('/secrets'), { ...hidden, overlap });
    const second = secretOn(await send('86400'));
    const third = secretOn(await send('0'));
    expect(await numbersOf(one)).toEqual([3]);
    expect([await one.works(one.first), await one.works(second), await one.works(third)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('leaves two at most: an older one ends at once, and numbers are not given again', async () => {
    const one = await owned(kind);
    const second = secretOn(await one.rotate('604800'));
    await one.rotate('3600');
    expect([await one.works(one.first), await one.works(second)]).toEqual([false, true]);
    expect(await numbersOf(one)).toEqual([3, 2]);
    await sql(service.parts.database, 'delete from secrets where holder = $1', [one.id]);
    await one.rotate('0');
    expect(await numbersOf(one)).toEqual([4]);
  });

  test('an overlap that is not offered is refused', async () => {
    const one = await owned(kind);
    for (const overlap of ['', '-1', '604801', '1', 'NaN', '3600 ']) {
      const answer = await one.browser.follow(await one.rotate(overlap));
      expect([overlap, ...formErrors(answer.body)]).toEqual([overlap, 'Choose one of the options.']);
    }
    expect(await numbersOf(one)).toEqual([1]);
  });

  test('is ended on a page that asks first and warns where no other lasts; a second click leads to the same', async () => {
    const one = await owned(kind);
    await one.rotate('86400');
    const warned = async (number: number) =>
      (await one.browser.get(one.page(`/secrets/${number}/end`))).body.includes('No other secret lasts');
    expect([await warned(1), await warned(2)]).toEqual([false, true]);
    expect(await one.works(one.first), 'the question ends nothing').toBe(true);
    const { hidden } = await one.browser.get(one.page('/secrets/1/end'));
    for (const _ of [1, 2]) {
      const answer = await sendFields(one.browser, one.page('/secrets/1/end'), hidden);
      expect([answer.status, answer.location?.search]).toEqual([303, '?done=ended']);
    }
    expect([await one.works(one.first), await numbersOf(one)]).toEqual([false, [2]]);
    for (const number of ['1', '0', '-1', '99999999999999', 'x', '1%00'])
      expect((await one.browser.get(one.page(`/secrets/${number}/end`))).status, number).toBe(404);
    await one.end(2);
    expect((await one.browser.get(one.page('/secrets'))).body).toContain('No secret is active');
    expect(secretOn(await one.rotate('0'))).not.toBe('');
  });

  test('changes with a recent sign-in or the password, and the audit log says so without the secret', async () => {
    const one = await owned(kind);
    advance(15 * 60 + 1);
    for (const answer of [await one.rotate('0'), await one.end(1)])
      expect(formErrors((await one.browser.follow(answer)).body)).toEqual(['Enter your current password.']);
    expect(await numbersOf(one)).toEqual([1]);
    await one.rotate('3600', { current_password: PASSWORD });
    await one.end(1); // A re-authentication counts as signing in again.
    const about = kind === 'api' ? { apiId: one.id } : { clientId: one.id };
    const events = await listEvents(service.parts.database, about, { limit: 5 });
    const prefix = kind === 'api' ? 'api_' : '';
    expect(events.map((event) => [event.kind, event.actorId, event.detail])).toEqual([
      [`${prefix}secret_ended`, one.user.userId, { number: 1 }],
      [`${prefix}secret_rotated`, one.user.userId, { number: 2, overlap: 3600 }],
    ]);
  });

  test('are not found under the pages of the other kind', async () => {
    const { browser, id } = await owned(kind);
    expect((await browser.get((kind === 'api' ? at : atApi)(id, '/secrets'))).status).toBe(404);
  });
});

test('leaves two at most however many are made at once, from two processes', async () => {
  const one = await owned('application');
  await Promise.all(
    [service, other, service, other].map(({ parts }) => newSecret(parts.database, one.id, 3600, parts.now())),
  );
  expect(await numbersOf(one)).toEqual([5, 4]);
});

test('leaves tokens alive: the application goes on with its new secret', async () => {
  const { application, rotate, browser } = await owned('application');
  if (application === undefined) throw new Error('no application');
  const { refreshToken } = await obtainTokens(service, application, browser);
  const clientSecret = secretOn(await rotate('0'));
  expect((await renew(service, { ...application, clientSecret }, refreshToken)).status).toBe(200);
});

test('a public application has no secrets: 404', async () => {
  const { browser, page } = await owned('application', { type: 'public' });
  expect((await browser.get(page())).body).not.toContain('/secrets');
  expect((await browser.get(page('/secrets'))).status).toBe(404);
  const { hidden } = await browser.get(page('/edit'));
  expect((await sendFields(browser, page('/secrets'), { ...hidden, overlap: '0' })).status).toBe(404);
});

test('an API’s page shows that it has no secret, and its owner’s overview that the last one is about to end', async () => {
  const { browser, id, end, rotate, page } = await owned('api');
  const says = async (path: string, words: string) => (await browser.get(path)).body.includes(words);
  await end(1);
  expect(await says(page(), 'Your API has to check every token')).toBe(true);
  await rotate('0');
  expect(await says(page(), 'Your API has to check every token')).toBe(false);
  expect(await says('/account', 'The last secret of the API Archives')).toBe(false);
  const ends = new Date(service.clock.now().getTime() + 3600_000);
  await expireFormerSecrets(service.parts.database, id, 3, ends, service.clock.now());
  expect(await says('/account', 'The last secret of the API Archives')).toBe(true);
});
