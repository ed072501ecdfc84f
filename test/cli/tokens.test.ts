// sesame tokens …: the emergency brake, on a real database.

import { expect, test } from 'vitest';
import { grantServiceAccess } from '../support/apis.ts';
import { databaseContent, withDatabase } from '../support/database-content.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  postForm,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);

test('revoke-all ends every session, code, access token and refresh token of every account; people may come again', async () => {
  const application = await service.createApplication();
  const people = [await service.createUser(), await service.createUser()];
  const given = [];
  for (const user of people) {
    const browser = await signedInBrowser(service, user);
    const tokens = await obtainTokens(service, application, browser);
    const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
    given.push({ browser, tokens, code });
  }
  const accounts = await withDatabase(service.databaseUrl, (client) =>
    client.query('select count(*)::int as n from users'),
  );
  expect(await cli.json('tokens', 'revoke-all', '--yes')).toEqual({ accounts: accounts.rows[0].n });

  for (const { browser, tokens, code } of given) {
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await renew(service, application, tokens.refreshToken)).body.error).toBe('invalid_grant');
    expect((await redeem(service, application, code)).body.error).toBe('invalid_grant');
    const visit = await browser.get(authorizeAddress(service, application, { prompt: 'none' }));
    expect(visit.location?.searchParams.get('error')).toBe('login_required');
  }
  for (const user of people) {
    const again = await obtainTokens(service, application, await signedInBrowser(service, user));
    expect((await userinfo(service, again.accessToken)).status).toBe(200);
  }
});

test('revoke-all ends what applications have got on their own account; they may ask again', async () => {
  const application = await service.createApplication();
  const { clientId, clientSecret } = application;
  const api = await service.createApi();
  await grantServiceAccess(service.parts.database, api, application);
  const post = async (path: string, fields: Record<string, string>) =>
    (await postForm(service, path, { client_id: clientId, client_secret: clientSecret, ...fields })).body;
  const ask = async () =>
    String(
      (await post('/oauth/token', { grant_type: 'client_credentials', resource: api.identifier }))
        .access_token,
    );
  const token = await ask();
  expect(await post('/oauth/introspect', { token })).toMatchObject({ active: true, sub: clientId });
  await cli.json('tokens', 'revoke-all', '--yes');
  expect(await post('/oauth/introspect', { token })).toEqual({ active: false });
  expect(await post('/oauth/introspect', { token: await ask() })).toMatchObject({ active: true });
});

test('without --yes it says what it would do, and does nothing', async () => {
  await service.parts.usage.flush();
  await service.parts.diagnostics.flush();
  const before = await databaseContent(service.databaseUrl);
  expect(await cli.fault(['tokens', 'revoke-all'])).toMatch(
    /of applications.*everybody has to sign in again.*--yes/,
  );
  expect(await databaseContent(service.databaseUrl)).toEqual(before);
});

test('it takes the time that it needs: a limit on statements does not stop it halfway', async () => {
  const name = new URL(service.databaseUrl).pathname.slice(1);
  await withDatabase(service.databaseUrl, async (client) => {
    await client.query(`create function dawdle() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.6); return new; end $$`);
    await client.query(
      'create trigger dawdle before update on users for each statement execute function dawdle()',
    );
    await client.query(`alter database ${name} set statement_timeout to '500ms'`);
  });
  expect((await cli.run(['tokens', 'revoke-all', '--yes'])).code).toBe(0);
});
