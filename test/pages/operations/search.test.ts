// The search over accounts, applications, agents, APIs and incident codes.
import { beforeAll, describe, expect, test } from 'vitest';
import { apiWithSecret, introspect } from '../../support/apis.ts';
import { refusalsOfApi } from '../../support/diagnostics.ts';
import { authorizeAddress, signedInBrowser } from '../../support/flow.ts';
import { accountPath, applicationPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();
let operator: Operator;
beforeAll(async () => {
  operator = await signedInOperator(service);
});

const search = async (text: string) =>
  (await operator.browser.get(`/console/operations/search?${new URLSearchParams({ search: text })}`)).body;
/** Where the results lead: the links in the main part but the ways between the pages. */
const leadsTo = (body: string): string[] => {
  const [, results = ''] = /<main[\s\S]*?<\/form>([\s\S]*)<\/main>/.exec(body) ?? [];
  const links = [...results.matchAll(/href="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  return [...new Set(links)];
};

describe('what is typed leads to', () => {
  test('accounts by name, email and identifier, applications by name, owner and Client ID, in one go', async () => {
    const owner = await service.createUser({ name: 'Wanda Quince', email: 'wanda@quince.example' });
    const application = await service.createApplication({ name: 'Wander Notes', ownerId: owner.userId });
    expect(leadsTo(await search('wand'))).toEqual([
      accountPath(owner.userId),
      applicationPath(application.clientId),
    ]);
    expect(leadsTo(await search('WANDA@quince'))).toEqual([
      accountPath(owner.userId),
      applicationPath(application.clientId),
    ]);
    expect(leadsTo(await search(application.clientId))[0]).toBe(applicationPath(application.clientId));
    expect(leadsTo(await search(owner.userId))[0]).toBe(accountPath(owner.userId));
  });

  test('the application of an incident code, however it is typed, the moment it was shown', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const refused = await browser.get(
      authorizeAddress(service, application, { redirect_uri: 'https://evil.example/' }),
    );
    const code = /<code>([2-9A-Z]{10})<\/code>/.exec(refused.body)?.[1] ?? '';
    const address = `/console/applications/${application.clientId}/diagnostics?incident=${code}`;
    for (const typed of [code, code.toLowerCase(), ` ${code.slice(0, 5)}-${code.slice(5)} `])
      expect([typed, leadsTo(await search(typed))]).toEqual([typed, [address]]);
    expect((await operator.browser.get(address)).body).toContain(`Incident ${code}`);
    expect(leadsTo(await search('2222222222'))).toEqual([]);
  });

  test('the API of an incident code, whose diagnostics an operator may open', async () => {
    const api = await apiWithSecret(service);
    await introspect(service, api, 'x', { client_secret: 'wrong' });
    const [refusal] = await refusalsOfApi(service, api);
    const code = refusal?.incidents[0] ?? '';
    const address = `/console/apis/${api.apiId}/diagnostics?incident=${code}`;
    expect(leadsTo(await search(code))).toEqual([address]);
    expect((await operator.browser.get(address)).body).toContain(`Incident ${code}`);
  });

  test('the lists where there are more than eight', async () => {
    for (let n = 0; n < 9; n += 1) await service.createUser({ name: `Multitude ${n}` });
    const found = leadsTo(await search('multitude'));
    expect(found).toHaveLength(9);
    expect(found.at(-1)).toBe('/console/operations/accounts?search=multitude');
  });

  test('nothing, and says so, for what is nothing; signs of SQL and HTML are what they are', async () => {
    for (const text of ['%', "' or true --", '"><script>', 'x'.repeat(5000), '\u{10ffff}']) {
      const body = await search(text);
      expect([text.slice(0, 20), leadsTo(body)]).toEqual([text.slice(0, 20), []]);
      expect(body).toContain('Nothing matches');
      expect(body).not.toContain('<script>"');
    }
    expect(await search('  ')).not.toContain('Nothing matches');
  });
});

test('it begins on the overview, and is nowhere for anybody else', async () => {
  expect((await operator.browser.get('/console/operations')).body).toContain(
    'action="/console/operations/search"',
  );
  const person = await signedInBrowser(service, await service.createUser());
  expect((await person.get('/console/operations/search?search=a')).status).toBe(404);
});
