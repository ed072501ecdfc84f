// The form of an API: registering it, and changing every setting but its identifier.
import { describe, expect, test } from 'vitest';
import { listEvents } from '../../../../src/store/events.ts';
import { findOwnApi, listOwnApis, type OwnApi } from '../../../../src/store/own-apis.ts';
import { APIS, apiIdOn, atApi, fill, NEW_API, registerApi } from '../../../support/console.ts';
import { newPerson } from '../../../support/flow.ts';
import { elementsOf, fieldError, formErrors, inputOf } from '../../../support/markup.ts';
import { CROWD, type TestUser, useTestService } from '../../../support/service.ts';

const service = useTestService(CROWD);

const apisOf = ({ userId }: TestUser): Promise<OwnApi[]> => listOwnApis(service.parts.database, userId);

let made = 0;
const newIdentifier = (): string => `https://api-${++made}.example/mcp`;

describe('registration', () => {
  test('is for its owner’s applications and an hour’s tokens unless its owner says otherwise', async () => {
    const { browser } = await newPerson(service);
    const { body } = await browser.get(NEW_API);
    const checked = elementsOf(body).filter(({ attributes }) => 'checked' in attributes);
    expect(checked.map(({ attributes }) => attributes.value)).toEqual(['own']);
    expect(inputOf(body, 'token_lifetime')?.value).toBe('3600');
  });

  test('makes the API of the account, and leads to its page', async () => {
    const { browser, user } = await newPerson(service);
    const identifier = newIdentifier();
    const fields = { name: ' Mes   archives ', token_lifetime: '90', admits: 'agents' };
    const answer = await registerApi(browser, { identifier: ` ${identifier} `, ...fields });
    const apiId = apiIdOn(answer);
    expect([answer.status, apiId]).toEqual([303, expect.stringMatching(/^api_[A-Za-z0-9_-]{20}$/)]);
    expect(await apisOf(user)).toMatchObject([
      {
        ...{ apiId, identifier, name: 'Mes archives', admits: 'agents', tokenLifetime: 90, scopes: [] },
        ...{ wordsFr: 'Vos documents.', wordsEn: 'Your documents.', suspended: false },
      },
    ]);
    const { body } = await browser.follow(answer);
    for (const text of [identifier, apiId, 'Mes archives', 'applications and agents', '90 seconds'])
      expect(body).toContain(text);
    expect((await browser.get(APIS)).body).toContain('Mes archives');
  });

  test('refuses what identifies no API, in words beside the field, and keeps it as it was typed', async () => {
    const { browser, user } = await newPerson(service);
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
      ['https://API.example/mcp', 'Enter it like this: https://api.example/mcp'],
      ['https://api.example:443', 'Enter it like this: https://api.example'],
      ['https://api.example./mcp', 'Enter it like this: https://api.example/mcp'],
      ['https://api.example/a/../mcp', 'Enter it like this: https://api.example/mcp'],
      [`${service.parts.config.baseUrl}/oauth`, 'that of this service itself'],
    ] as const;
    const shown: unknown[] = [];
    for (const [identifier] of cases) {
      const { body } = await browser.follow(await registerApi(browser, { identifier }));
      shown.push([inputOf(body, 'identifier')?.value, fieldError(body, 'identifier')]);
    }
    expect(shown).toEqual(cases.map(([typed, words]) => [typed, expect.stringContaining(words)]));
    expect(await apisOf(user)).toEqual([]);
  });

  test('takes http on this computer in development', async () => {
    const { browser } = await newPerson(service);
    for (const identifier of ['http://localhost:4000/mcp', 'http://127.0.0.1:4000', 'http://[::1]:4000/'])
      expect(apiIdOn(await registerApi(browser, { identifier })), identifier).not.toBe('');
  });

  test('gives an identifier to one account alone, with a slash after the origin or without, even at once', async () => {
    const origin = new URL(newIdentifier()).origin;
    const people = await Promise.all([1, 2, 3, 4].map(() => newPerson(service)));
    const answers = await Promise.all(
      people.map(({ browser }, i) => registerApi(browser, { identifier: i % 2 ? origin : `${origin}/` })),
    );
    expect(answers.map(apiIdOn).filter(Boolean)).toHaveLength(1);
    const loser = answers.findIndex((answer) => apiIdOn(answer) === '');
    const [person, answer] = [people[loser], answers[loser]];
    const body = (answer && (await person?.browser.follow(answer))?.body) ?? '';
    expect(fieldError(body, 'identifier')).toContain('already registered on this service');
    expect(people.filter((other) => other !== person && body.includes(other.user.email))).toEqual([]);
    const another = await registerApi((await newPerson(service)).browser, { identifier: `${origin}/v2` });
    expect(apiIdOn(another), 'another path is another identifier').not.toBe('');
  });

  test('shows what is wrong with each field, in the order of the form', async () => {
    const { browser } = await newPerson(service);
    const fields = { identifier: 'notes', name: ' ', words_fr: 'x'.repeat(201), words_en: '', admits: 'all' };
    const answer = await browser.follow(await registerApi(browser, { ...fields, token_lifetime: 'x' }));
    expect(formErrors(answer.body)).toEqual([
      'Enter a name for the API.',
      'The identifier must be a full URL, such as https://api.example.com/mcp.',
      'The text in French must be 200 characters or fewer.',
      'Enter the text in English.',
      'Choose who can ask for tokens.',
      'Enter a whole number from 60 to 86400.',
    ]);
  });
});

describe('settings', () => {
  const SETTINGS = {
    name: 'Documents',
    words_fr: 'Vos papiers.',
    words_en: 'Your papers.',
    admits: 'agents',
  };

  async function owned() {
    const { user, browser } = await newPerson(service);
    const { apiId, identifier } = await service.createApi({ ownerId: user.userId, tokenLifetime: 600 });
    const stored = () => findOwnApi(service.parts.database, user.userId, apiId);
    return { user, apiId, identifier, browser, page: atApi(apiId, '/edit'), stored };
  }

  test('are shown as they stand, and changed but for the identifier; the audit log says what', async () => {
    const { browser, user, apiId, identifier, page, stored } = await owned();
    const { body } = await browser.get(page);
    expect([inputOf(body, 'name')?.value, inputOf(body, 'token_lifetime')?.value]).toEqual([
      'Archives',
      '600',
    ]);
    expect(inputOf(body, 'identifier')).toBeUndefined();
    const fields = { ...SETTINGS, token_lifetime: '120', identifier: 'https://other.example/' };
    expect((await fill(browser, page, fields)).location?.search).toBe('?done=changed');
    expect(await stored()).toMatchObject({
      ...{ identifier, name: 'Documents', admits: 'agents', tokenLifetime: 120 },
      ...{ wordsFr: 'Vos papiers.', wordsEn: 'Your papers.' },
    });
    const [event] = await listEvents(service.parts.database, { apiId }, { limit: 1 });
    expect(event).toMatchObject({
      kind: 'api_changed',
      actorId: user.userId,
      detail: { changed: ['name', 'wordsFr', 'wordsEn', 'admits', 'tokenLifetime'], admits: 'agents' },
    });
  });

  test('that are not good change nothing', async () => {
    const { browser, page, stored } = await owned();
    for (const seconds of ['59', '86401', '1e3', '-60', '', '1 800']) {
      const answer = await fill(browser, page, { ...SETTINGS, name: '', token_lifetime: seconds });
      expect(formErrors((await browser.follow(answer)).body), seconds).toEqual([
        'Enter a name for the API.',
        'Enter a whole number from 60 to 86400.',
      ]);
    }
    expect((await stored())?.admits).toBe('applications');
  });
});
