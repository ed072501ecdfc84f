import { beforeAll, describe, expect, test } from 'vitest';
import {
  adminAccountPath,
  adminClientPath,
  createSignedInAdmin,
  type TestAdmin,
} from '../../support/admin.ts';
import { createApiWithSecret, introspect } from '../../support/apis.ts';
import { readApiRefusals } from '../../support/diagnostics.ts';
import { buildAuthorizeUrl, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});

const search = async (text: string) =>
  (await admin.browser.get(`/console/operations/search?${new URLSearchParams({ search: text })}`)).body;
const listResultLinks = (body: string): string[] => {
  const [, results = ''] = /<main[\s\S]*?<\/form>([\s\S]*)<\/main>/.exec(body) ?? [];
  const links = [...results.matchAll(/href="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  return [...new Set(links)];
};

describe('the administration search', () => {
  test('finds accounts and applications by name, email address or ID', async () => {
    const owner = await service.createUser({ name: 'Wanda Quince', email: 'wanda@quince.example' });
    const application = await service.createClient({ name: 'Wander Notes', ownerId: owner.userId });
    expect(listResultLinks(await search('wand'))).toEqual([
      adminAccountPath(owner.userId),
      adminClientPath(application.clientId),
    ]);
    expect(listResultLinks(await search('WANDA@quince'))).toEqual([
      adminAccountPath(owner.userId),
      adminClientPath(application.clientId),
    ]);
    expect(listResultLinks(await search(application.clientId))[0]).toBe(
      adminClientPath(application.clientId),
    );
    expect(listResultLinks(await search(owner.userId))[0]).toBe(adminAccountPath(owner.userId));
  });

  test('finds an application by incident code', async () => {
    const application = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const rejected = await browser.get(
      buildAuthorizeUrl(service, application, { redirect_uri: 'https://evil.example/' }),
    );
    const code = /<code>([2-9A-Z]{10})<\/code>/.exec(rejected.body)?.[1] ?? '';
    const path = `/console/applications/${application.clientId}/diagnostics?incident=${code}`;
    for (const spelling of [code, code.toLowerCase(), ` ${code.slice(0, 5)}-${code.slice(5)} `])
      expect([spelling, listResultLinks(await search(spelling))]).toEqual([spelling, [path]]);
    expect((await admin.browser.get(path)).body).toContain(`Incident ${code}`);
    expect(listResultLinks(await search('2222222222'))).toEqual([]);
  });

  test('finds an API by incident code', async () => {
    const api = await createApiWithSecret(service);
    await introspect(service, api, 'x', { client_secret: 'wrong' });
    const [refusal] = await readApiRefusals(service, api);
    const code = refusal?.incidents[0] ?? '';
    const path = `/console/apis/${api.apiId}/diagnostics?incident=${code}`;
    expect(listResultLinks(await search(code))).toEqual([path]);
    expect((await admin.browser.get(path)).body).toContain(`Incident ${code}`);
  });

  test('shows at most eight results of each kind', async () => {
    for (let n = 0; n < 9; n += 1) await service.createUser({ name: `Multitude ${n}` });
    const links = listResultLinks(await search('multitude'));
    expect(links).toHaveLength(9);
    expect(links.at(-1)).toBe('/console/operations/accounts?search=multitude');
  });

  test('shows a message if nothing matches', async () => {
    for (const text of ['%', "' or true --", '"><script>', 'x'.repeat(5000), '\u{10ffff}']) {
      const body = await search(text);
      const [auditLink, ...others] = listResultLinks(body);
      expect([text.slice(0, 20), others]).toEqual([text.slice(0, 20), []]);
      expect(auditLink).toMatch(/^\/console\/operations\/audit\?search=/);
      expect(body).toContain('No account, application, API or agent matches');
      expect(body).not.toContain('server logs');
      expect(body).not.toContain('<script>"');
    }
    expect(await search('ABCDEFGH23')).toContain('only in the server logs');
    expect(await search('  ')).not.toContain('No account, application, API or agent matches');
  });
});

test('the administration overview links to the search page', async () => {
  expect((await admin.browser.get('/console/operations')).body).toContain(
    'action="/console/operations/search"',
  );
  const userBrowser = await openSignedInBrowser(service, await service.createUser());
  expect((await userBrowser.get('/console/operations/search?search=a')).status).toBe(404);
});
