import { expect, test } from 'vitest';
import { grantServiceAccess } from '../support/apis.ts';
import { databaseContent, withDatabase } from '../support/database-content.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

test('`tokens revoke-all` revokes all sessions, codes and tokens', async () => {
  const application = await service.createClient();
  const users = [await service.createUser(), await service.createUser()];
  const issued = [];
  for (const user of users) {
    const browser = await openSignedInBrowser(service, user);
    const tokens = await obtainTokens(service, application, browser);
    const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
    issued.push({ browser, tokens, code });
  }
  const accounts = await withDatabase(service.databaseUrl, (client) =>
    client.query('select count(*)::int as n from users'),
  );
  expect(await cli.runJson('tokens', 'revoke-all', '--yes')).toEqual({ accounts: accounts.rows[0].n });

  for (const { browser, tokens, code } of issued) {
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(service, application, tokens.refreshToken)).body.error).toBe(
      'invalid_grant',
    );
    expect((await redeemCode(service, application, code)).body.error).toBe('invalid_grant');
    const response = await browser.get(buildAuthorizeUrl(service, application, { prompt: 'none' }));
    expect(response.location?.searchParams.get('error')).toBe('login_required');
  }
  for (const user of users) {
    const newTokens = await obtainTokens(service, application, await openSignedInBrowser(service, user));
    expect((await fetchUserinfo(service, newTokens.accessToken)).status).toBe(200);
  }
});

test('`tokens revoke-all` also revokes client_credentials tokens', async () => {
  const application = await service.createClient();
  const { clientId, clientSecret } = application;
  const api = await service.createApi();
  await grantServiceAccess(service.services.database, api, application);
  const post = async (path: string, fields: Record<string, string>) =>
    (await postForm(service, path, { client_id: clientId, client_secret: clientSecret, ...fields })).body;
  const requestToken = async () =>
    String(
      (await post('/oauth/token', { grant_type: 'client_credentials', resource: api.identifier }))
        .access_token,
    );
  const token = await requestToken();
  expect(await post('/oauth/introspect', { token })).toMatchObject({ active: true, sub: clientId });
  await cli.runJson('tokens', 'revoke-all', '--yes');
  expect(await post('/oauth/introspect', { token })).toEqual({ active: false });
  expect(await post('/oauth/introspect', { token: await requestToken() })).toMatchObject({ active: true });
});

test('`tokens revoke-all` changes nothing without --yes', async () => {
  await service.services.usage.flush();
  await service.services.diagnostics.flush();
  const before = await databaseContent(service.databaseUrl);
  expect(await cli.runFailing(['tokens', 'revoke-all'])).toMatch(
    /all sessions, codes and tokens.*must sign in again.*--yes/,
  );
  expect(await databaseContent(service.databaseUrl)).toEqual(before);
});

test('`tokens revoke-all` is not subject to statement_timeout', async () => {
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
