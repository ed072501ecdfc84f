// The page of an application says how it stands, and what is worth doing about it.
import { beforeAll, describe, expect, test } from 'vitest';
import { newClientSecret } from '../../../src/oauth/secrets.ts';
import { insertSecret } from '../../../src/store/secrets.ts';
import { authorizeAddress, obtainTokens, signedInBrowser } from '../../support/flow.ts';
import { sql } from '../../support/populate.ts';
import { type TestService, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let owner: TestUser;
beforeAll(async () => {
  owner = await service.createUser({ emailVerified: true });
});

const NOTHING = 'All is well: there is nothing to do.';
const DAY = 86_400;
const mine = (fields: Parameters<TestService['createApplication']>[0] = {}) =>
  service.createApplication({ ownerId: owner.userId, ...fields });
const pageOf = async ({ clientId }: { clientId: string }) =>
  (await (await signedInBrowser(service, owner)).get(`/console/applications/${clientId}`)).body;
/** What is worth doing, each with where it leads. */
const tasksOf = (body: string): [text: string, href: string][] =>
  [...body.matchAll(/<li class="task[^"]*">\n<p>([\s\S]*?)<\/p>\n<a class="reachable" href="([^"]*)"/g)].map(
    ([, text = '', href = '']) => [text.replaceAll(/<[^>]*>/g, ''), href.replace(/^.*\//, '')],
  );
const after = (seconds: number) => new Date(service.clock.now().getTime() + seconds * 1000).toISOString();
/** An application that somebody has signed in to. */
async function settled(fields: Parameters<TestService['createApplication']>[0] = {}) {
  const application = await mine(fields);
  const person = await signedInBrowser(service, await service.createUser());
  await obtainTokens(service, application, person);
  return application;
}
/** Gives it another secret beside the first, which ends after so many seconds. */
async function rotate({ clientId }: { clientId: string }, overlap: number): Promise<void> {
  const { parts, clock } = service;
  await insertSecret(parts.database, 'application', clientId, newClientSecret(), clock.now());
  await sql(
    service.parts.database,
    `update secrets set expires_at = '${after(overlap)}' where client_id = '${clientId}' and number = 1`,
  );
}

describe('what is worth doing', () => {
  test('of a new one: to integrate it', async () => {
    expect(tasksOf(await pageOf(await mine()))).toEqual([['Nobody has signed in yet.', 'integrate']]);
  });

  test('nothing, where all is well; a public one needs no secret', async () => {
    for (const type of ['confidential', 'public'] as const)
      expect(await pageOf(await settled({ type }))).toContain(NOTHING);
  });

  test('a secret where none works, or the last one is about to end; not where another goes on', async () => {
    const application = await settled();
    const end = (seconds: number) =>
      sql(
        service.parts.database,
        `update secrets set expires_at = '${after(seconds)}' where client_id = '${application.clientId}'`,
      );
    await end(-1);
    expect(tasksOf(await pageOf(application))).toEqual([
      ['No secret is active: nobody can sign in.', 'secrets'],
    ]);
    await end(2 * DAY);
    expect(tasksOf(await pageOf(application))[0]?.[0]).toMatch(/^The last secret expires on \d/);
    await end(60 * DAY);
    expect(await pageOf(application)).toContain(NOTHING);
    await rotate(application, DAY);
    expect(await pageOf(application)).toContain(NOTHING);
  });

  test('requests that were refused in the last week', async () => {
    const application = await settled();
    const browser = await signedInBrowser(service, await service.createUser());
    const redirectUri = 'https://evil.example/';
    await browser.get(authorizeAddress(service, application, { redirect_uri: redirectUri }));
    await service.parts.diagnostics.flush();
    const one = ['One request was refused in the last seven days.', 'diagnostics'];
    expect(tasksOf(await pageOf(application))).toEqual([one]);
    service.clock.advance(8 * DAY);
    expect(await pageOf(application)).toContain(NOTHING);
  });
});

test('it says how it stands: each secret and when it was used, people, an offer; nothing of the list beside it again', async () => {
  const application = await settled();
  await rotate(application, 3 * DAY);
  await service.parts.usage.flush();
  const body = await pageOf(application);
  const words = body.replaceAll(/<(?!time)[^>]*>/g, '');
  expect(words).toMatch(/Secret no\. 1 \(….{4}\), used <time [^>]*>[^<]*, expires on <time/);
  expect(words).toMatch(/Secret no\. 2 \(….{4}\), never used/);
  expect(body).toContain('expires on <time');
  expect(body).not.toContain('class="tile"');
});
