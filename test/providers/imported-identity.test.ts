// Sign-in through a provider to an account that was imported with its identity.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { FIXTURES, writeImportFile } from '../support/import-files.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { useStubIssuer } from '../support/stub-issuer.ts';

const service = useTestService();
const { stub, start, respond } = useStubIssuer(service);
const cli = createSesameCommand(() => service.databaseUrl);

test('a user imported from Keycloak with a linked identity can sign in through the provider', async () => {
  const realm = JSON.parse(readFileSync(`${FIXTURES}/keycloak-realm.json`, 'utf8'));
  const [provider] = realm.identityProviders;
  Object.assign(provider, { providerId: 'oidc', config: { ...provider.config, issuer: stub.issuer } });
  const linked = realm.users.find(({ username }: { username: string }) => username === 'linked');
  const file = writeImportFile(JSON.stringify(realm));
  const command = ['import', 'users', file, '--from', 'keycloak', '--keep-ids'];
  expect(await cli.run(command, '', { SECRET_KEY })).toMatchObject({ code: 3 });
  stub.behavior = { claims: { sub: linked.federatedIdentities[0].userId } };
  const browser = openBrowserSession(service.baseUrl);
  const signedIn = await respond(browser, await start(browser));
  expect(signedIn.location?.pathname).toBe('/account');
  expect((await browser.get('/account/email')).body.replaceAll('<wbr>', '')).toContain(linked.email);
  expect(await cli.runJson('users', 'show', linked.email)).toMatchObject({ sub: linked.id });
});
