import { describe, expect, test } from 'vitest';
import { listEvents } from '../../../../src/store/audit-log.ts';
import { findOwnedApi, listOwnedApis, type OwnedApi } from '../../../../src/store/owned-apis.ts';
import {
  APIS_PATH,
  apiPath,
  NEW_API_PATH,
  readApiId,
  registerApi,
  submitForm,
} from '../../../support/console-forms.ts';
import {
  findInput,
  parseElements,
  readFieldError,
  readFormErrors,
  readText,
} from '../../../support/markup.ts';
import { createSignedInUser } from '../../../support/oauth-flow.ts';
import { LARGE_POOL, type TestUser, useTestService } from '../../../support/service.ts';

const service = useTestService(LARGE_POOL);

const listApis = ({ userId }: TestUser): Promise<OwnedApi[]> =>
  listOwnedApis(service.services.database, userId);

let identifierCount = 0;
const createIdentifier = (): string => `https://api-${++identifierCount}.example/mcp`;

describe('the API registration form', () => {
  test("allows only the owner's applications by default", async () => {
    const { browser } = await createSignedInUser(service);
    const { body } = await browser.get(NEW_API_PATH);
    const checked = parseElements(body).filter(({ attributes }) => 'checked' in attributes);
    expect(checked.map(({ attributes }) => attributes.value)).toEqual(['own']);
    expect(findInput(body, 'token_lifetime')?.value).toBe('3600');
  });

  test('creates the API and redirects to its page', async () => {
    const { browser, user } = await createSignedInUser(service);
    const identifier = createIdentifier();
    const fields = { name: ' Mes   archives ', token_lifetime: '90', allowed_clients: 'agents' };
    const response = await registerApi(browser, { identifier: ` ${identifier} `, ...fields });
    const apiId = readApiId(response);
    expect([response.status, apiId]).toEqual([303, expect.stringMatching(/^api_[A-Za-z0-9_-]{20}$/)]);
    expect(await listApis(user)).toMatchObject([
      {
        ...{
          apiId,
          identifier,
          name: 'Mes archives',
          allowedClients: 'agents',
          tokenLifetime: 90,
          scopes: [],
        },
        ...{ descriptionFr: 'Vos documents.', descriptionEn: 'Your documents.', suspended: false },
      },
    ]);
    const { body } = await browser.follow(response);
    for (const text of [identifier, apiId, 'Mes archives']) expect(readText(body)).toContain(text);
    expect(readText(body)).toContain('No scopes yet. Add a scope');
    expect(body).toContain(`href="${apiPath(apiId, '/scopes/new')}"`);
    const settings = (await browser.get(apiPath(apiId, '/edit'))).body;
    const checked = parseElements(settings).filter(({ attributes }) => 'checked' in attributes);
    expect(checked.map(({ attributes }) => attributes.value)).toEqual(['agents']);
    expect(findInput(settings, 'token_lifetime')?.value).toBe('90');
    expect((await browser.get(APIS_PATH)).body).toContain('Mes archives');
  });

  test('rejects invalid identifiers with a field error', async () => {
    const { browser, user } = await createSignedInUser(service);
    const cases = [
      ['', 'Enter the API identifier.'],
      [`https://api.example/${'x'.repeat(500)}`, '500 characters or fewer'],
      ['https://api.example/é', 'non-ASCII'],
      ['https://api.example/#x', 'contains a fragment'],
      ['https://api.example/?x=1', 'contains parameters'],
      ['api.example/mcp', 'must be a full URL'],
      ['https:api.example', 'must be a full URL'],
      ['https://user:secret@api.example/', 'a username or a password'],
      ['urn:example:api', 'must start with https://'],
      ['http://localhost.example/mcp', 'must start with https://'],
      ['https://API.example/mcp', 'Enter: https://api.example/mcp'],
      ['https://api.example:443', 'Enter: https://api.example'],
      ['https://api.example./mcp', 'Enter: https://api.example/mcp'],
      ['https://api.example/a/../mcp', 'Enter: https://api.example/mcp'],
      [`${service.services.config.baseUrl}/oauth`, 'the URL of this service'],
    ] as const;
    const errors: unknown[] = [];
    for (const [identifier] of cases) {
      const { body } = await browser.follow(await registerApi(browser, { identifier }));
      errors.push([findInput(body, 'identifier')?.value, readFieldError(body, 'identifier')]);
    }
    expect(errors).toEqual(
      cases.map(([identifier, message]) => [identifier, expect.stringContaining(message)]),
    );
    expect(await listApis(user)).toEqual([]);
  });

  test('accepts http on localhost in development', async () => {
    const { browser } = await createSignedInUser(service);
    for (const identifier of ['http://localhost:4000/mcp', 'http://127.0.0.1:4000', 'http://[::1]:4000/'])
      expect(readApiId(await registerApi(browser, { identifier })), identifier).not.toBe('');
  });

  test('accepts each identifier only once, even with concurrent submissions', async () => {
    const origin = new URL(createIdentifier()).origin;
    const users = await Promise.all([1, 2, 3, 4].map(() => createSignedInUser(service)));
    const responses = await Promise.all(
      users.map(({ browser }, i) => registerApi(browser, { identifier: i % 2 ? origin : `${origin}/` })),
    );
    expect(responses.map(readApiId).filter(Boolean)).toHaveLength(1);
    const loserIndex = responses.findIndex((response) => readApiId(response) === '');
    const [loser, response] = [users[loserIndex], responses[loserIndex]];
    const body = (response && (await loser?.browser.follow(response))?.body) ?? '';
    expect(readFieldError(body, 'identifier')).toContain('already registered on this service');
    expect(users.filter((other) => other !== loser && body.includes(other.user.email))).toEqual([]);
    const otherPathResponse = await registerApi((await createSignedInUser(service)).browser, {
      identifier: `${origin}/v2`,
    });
    expect(readApiId(otherPathResponse), 'an identifier with a different path is accepted').not.toBe('');
  });

  test('requires a description in only one language', async () => {
    const { browser, user } = await createSignedInUser(service);
    const fields = { identifier: createIdentifier(), description_fr: '', description_en: ' ' };
    const missing = await browser.follow(await registerApi(browser, fields));
    expect(readFormErrors(missing.body)).toEqual(['Enter the description in French or English.']);
    const response = await registerApi(browser, { ...fields, description_fr: ' Vos  archives ' });
    expect(await listApis(user)).toMatchObject([{ descriptionFr: 'Vos archives', descriptionEn: '' }]);
    const { body } = await browser.get(apiPath(readApiId(response), '/edit'));
    expect(findInput(body, 'description_fr')?.value).toBe('Vos archives');
    expect(findInput(body, 'description_en')?.value).toBe('');
  });

  test('shows the description in the page’s language first', async () => {
    const { browser } = await createSignedInUser(service);
    for (const [language, order] of [
      ['en', ['description_en', 'description_fr']],
      ['fr', ['description_fr', 'description_en']],
    ] as const) {
      const { body } = await browser.get(`${NEW_API_PATH}?lang=${language}`);
      const names = parseElements(body).map(({ attributes }) => attributes.name);
      expect(names.filter((name) => name?.startsWith('description'))).toEqual(order);
    }
  });

  test('lists errors in the order of the fields', async () => {
    const { browser } = await createSignedInUser(service);
    const fields = {
      identifier: 'notes',
      name: ' ',
      description_fr: 'x'.repeat(201),
      description_en: 'x'.repeat(201),
      allowed_clients: 'all',
    };
    const response = await browser.follow(await registerApi(browser, { ...fields, token_lifetime: 'x' }));
    expect(readFormErrors(response.body)).toEqual([
      'Enter a name for the API.',
      'The identifier must be a full URL, such as https://api.example.com/mcp.',
      'The English description must be 200 characters or fewer.',
      'The French description must be 200 characters or fewer.',
      'Choose who can request tokens.',
      'Enter a whole number from 60 to 86400.',
    ]);
  });
});

describe("an API's settings form", () => {
  const SETTINGS = {
    name: 'Documents',
    description_fr: 'Vos papiers.',
    description_en: 'Your papers.',
    allowed_clients: 'agents',
  };

  async function createOwnedApi() {
    const { user, browser } = await createSignedInUser(service);
    const { apiId, identifier } = await service.createApi({ ownerId: user.userId, tokenLifetime: 600 });
    const findStoredApi = () => findOwnedApi(service.services.database, user.userId, apiId);
    return { user, apiId, identifier, browser, page: apiPath(apiId, '/edit'), stored: findStoredApi };
  }

  test('saves and logs changes but ignores a new identifier', async () => {
    const { browser, user, apiId, identifier, page, stored } = await createOwnedApi();
    const { body } = await browser.get(page);
    expect([findInput(body, 'name')?.value, findInput(body, 'token_lifetime')?.value]).toEqual([
      'Archives',
      '600',
    ]);
    expect(findInput(body, 'identifier')).toBeUndefined();
    const fields = { ...SETTINGS, token_lifetime: '120', identifier: 'https://other.example/' };
    expect((await submitForm(browser, page, fields)).location?.search).toBe('?done=changed');
    expect(await stored()).toMatchObject({
      ...{ identifier, name: 'Documents', allowedClients: 'agents', tokenLifetime: 120 },
      ...{ descriptionFr: 'Vos papiers.', descriptionEn: 'Your papers.' },
    });
    const [event] = await listEvents(service.services.database, { apiId }, { limit: 1 });
    expect(event).toMatchObject({
      kind: 'api_changed',
      actorId: user.userId,
      detail: {
        changed: ['name', 'descriptionFr', 'descriptionEn', 'allowedClients', 'tokenLifetime'],
        allowedClients: 'agents',
      },
    });
  });

  test('rejects invalid values', async () => {
    const { browser, page, stored } = await createOwnedApi();
    for (const seconds of ['59', '86401', '1e3', '-60', '', '1 800']) {
      const response = await submitForm(browser, page, { ...SETTINGS, name: '', token_lifetime: seconds });
      expect(readFormErrors((await browser.follow(response)).body), seconds).toEqual([
        'Enter a name for the API.',
        'Enter a whole number from 60 to 86400.',
      ]);
    }
    expect((await stored())?.allowedClients).toBe('applications');
  });
});
