// Whoever only names an application writes nothing in its name: strangers' refusals are folded and have their own quota,
// at every address, however early they are refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUOTA } from '../../../src/store/refusals.ts';
import { refusalsOf } from '../../support/diagnostics.ts';
import { authorize, postForm, redeem, signedInBrowser } from '../../support/flow.ts';
import { startTestService, type TestApplication, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const JWT = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ADDRESSES = ['token', 'token/revoke', 'introspect', 'par', 'device_authorization'];
/** What a stranger can send who knows the Client ID, which is public. */
const STRANGERS: [string, Record<string, string>][] = [
  ['nothing else', {}],
  ['no assertion', { client_assertion_type: JWT, token: 'x', scope: 'openid', grant_type: 'x' }],
  [
    'another sort of assertion',
    { client_assertion: 'x', client_assertion_type: 'x', token: 'x', scope: 'x' },
  ],
  [
    'an assertion and a secret',
    { client_assertion: 'x', client_assertion_type: JWT, client_secret: 'x', token: 'x', scope: 'x' },
  ],
  ['no secret', { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', scope: 'openid' }],
  ['a wrong secret', { grant_type: 'x', client_secret: 'x', token: 'x', scope: 'nothing' }],
];

/** Fails as the application itself, in ways that can be told apart. */
const failAsItself = ({ clientId, clientSecret }: TestApplication, number: number) =>
  postForm(service, '/oauth/token', {
    grant_type: `own_${number}`,
    client_id: clientId,
    client_secret: clientSecret,
  });

test.each(ADDRESSES)(
  '120 strangers at /oauth/%s push nothing of the application’s own out',
  async (address) => {
    const application = await service.createApplication();
    const own = [1, 2, 3];
    for (const number of own) await failAsItself(application, number);
    await service.parts.diagnostics.flush();
    for (const [, fields] of STRANGERS) {
      service.clock.advance(1);
      const send = () =>
        postForm(service, `/oauth/${address}`, { ...fields, client_id: application.clientId });
      const answers = await Promise.all(Array.from({ length: 120 / STRANGERS.length }, send));
      for (const { status } of answers) expect([400, 401]).toContain(status);
      await service.parts.diagnostics.flush();
    }
    const refusals = await refusalsOf(service, application);
    expect(refusals.filter(({ authenticated }) => authenticated)).toMatchObject(
      own.reverse().map((number) => ({ facts: { sent: `own_${number}` }, count: 1 })),
    );
    const strangers = refusals.filter(({ authenticated }) => !authenticated);
    expect(strangers.reduce((sum, { count }) => sum + count, 0)).toBe(120);
    expect(strangers.length).toBeLessThanOrEqual(STRANGERS.length);
  },
);

test('strangers who vary what they send push out each other, at every address', async () => {
  const application = await service.createApplication();
  for (let number = 1; number <= QUOTA; number += 1) await failAsItself(application, number);
  await service.parts.diagnostics.flush();
  service.clock.advance(1);
  for (let i = 0; i < 120; i += 1)
    await postForm(service, `/oauth/${ADDRESSES[i % ADDRESSES.length]}`, {
      client_id: application.clientId,
      [`a_${'b'.repeat(i % 40)}`]: '%00',
      ...(i % 2 === 0 && { client_assertion_type: JWT }),
      client_secret: 'x'.repeat(i),
    });
  const refusals = await refusalsOf(service, application);
  expect(refusals.filter(({ authenticated }) => authenticated)).toHaveLength(QUOTA);
  for (const { authenticated, facts } of refusals)
    if (authenticated) expect(facts).toMatchObject({ sent: expect.stringMatching(/^own_/) });
});

test('whoever signs in holds a code, and pushes out nothing of the application’s own with it', async () => {
  const application = await service.createApplication();
  await failAsItself(application, 1);
  const browser = await signedInBrowser(service, await service.createUser());
  const callback = await authorize(service, application, browser);
  const code = callback.searchParams.get('code') ?? '';
  await service.parts.diagnostics.flush();
  service.clock.advance(1);
  for (let i = 0; i < 120; i += 1) await redeem(service, application, code, { client_secret: 'x' });
  expect(await refusalsOf(service, application)).toMatchObject([
    { kind: 'secret_not_ours', authenticated: false, held: true, count: 120 },
    { facts: { sent: 'own_1' }, authenticated: true, held: false },
  ]);
});
