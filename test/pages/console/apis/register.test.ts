// Registering an API in the console: its identifier and other fields, what comes of it, once a form; and the list.
import { describe, expect, test } from 'vitest';
import { identifierFault } from '../../../../src/oauth/api-identifier.ts';
import { listOwnApis, type OwnApi } from '../../../../src/store/own-apis.ts';
import { API_REGISTRATION, APIS, apiIdOn, NEW_API, registerApi } from '../../../support/api-console.ts';
import { sendFields } from '../../../support/console.ts';
import { newPerson, signedInBrowser } from '../../../support/flow.ts';
import { fieldError, formErrors, inputOf } from '../../../support/markup.ts';
import { startTestService, type TestUser, useTestService } from '../../../support/service.ts';

const service = useTestService({ REGISTRATIONS_PER_ACCOUNT: '2', SUPPORT: 'aide@example.fr' });

const developer = () => newPerson(service);
const apisOf = ({ userId }: TestUser): Promise<OwnApi[]> => listOwnApis(service.parts.database, userId);

let made = 0;
/** An identifier that nobody has. */
const anIdentifier = (): string => `https://api-${++made}.example/mcp`;

describe('getting there', () => {
  test('a new API is open to its owner alone, and its tokens live an hour, unless its owner says otherwise', async () => {
    const { browser } = await developer();
    const { body } = await browser.get(NEW_API);
    expect(body).toMatch(/value="own" checked/);
    expect(body).toMatch(/value="3600" checked/);
  });
});

describe('a good form', () => {
  test('registers the API of the account, and leads to its page', async () => {
    const { browser, user } = await developer();
    const identifier = anIdentifier();
    const answer = await registerApi(browser, {
      identifier: ` ${identifier} `,
      name: ' Mes   archives ',
      lifetime: 'other',
      token_lifetime: '90',
      admits: 'agents',
    });
    const apiId = apiIdOn(answer);
    expect([answer.status, apiId]).toEqual([303, expect.stringMatching(/^api_[A-Za-z0-9_-]{20}$/)]);
    expect(await apisOf(user)).toMatchObject([
      {
        apiId,
        identifier,
        name: 'Mes archives',
        wordsFr: 'Vos documents.',
        wordsEn: 'Your documents.',
        scopes: [],
        admits: 'agents',
        tokenLifetime: 90,
        suspended: false,
      },
    ]);
    const { body } = await browser.follow(answer);
    for (const text of [identifier, apiId, 'Mes archives', 'applications and agents', '90 seconds'])
      expect(body).toContain(text);
    expect(body).toContain('none: access is to the whole API');
    expect((await browser.get(APIS)).body).toContain('Mes archives');
  });

  test('sent again, however late, it makes no other API and leads to the one that it made', async () => {
    const { browser, user } = await developer();
    const { hidden } = await browser.get(NEW_API);
    const fields = { ...hidden, ...API_REGISTRATION, identifier: anIdentifier() };
    const first = await sendFields(browser, NEW_API, fields);
    service.clock.advance(60);
    const again = await sendFields(browser, NEW_API, { ...fields, identifier: anIdentifier() });
    expect(apiIdOn(again)).toBe(apiIdOn(first));
    expect(await apisOf(user)).toHaveLength(1);
  });

  test('twice at once makes one', async () => {
    const { browser, user } = await developer();
    const { hidden } = await browser.get(NEW_API);
    const fields = { ...hidden, ...API_REGISTRATION, identifier: anIdentifier() };
    await Promise.all([sendFields(browser, NEW_API, fields), sendFields(browser, NEW_API, fields)]);
    expect(await apisOf(user)).toHaveLength(1);
  });
});

describe('the identifier (D45)', () => {
  test.each([
    ['', 'Enter the API identifier.'],
    [`https://api.example/${'x'.repeat(500)}`, '500 characters or fewer'],
    ['https://api.example/é', 'non-ASCII'],
    ['https://api.example/#x', 'contains a fragment'],
    ['https://api.example/?x=1', 'contains parameters'],
    ['api.example/mcp', 'must be a full URL'],
    ['https:api.example', 'must be a full URL'],
    ['https://user:secret@api.example/', 'a username or a password'],
    ['ftp://api.example/', 'must start with https://'],
    ['urn:example:api', 'must start with https://'],
    ['http://api.example/mcp', 'must start with https://'],
    ['http://localhost.example/mcp', 'must start with https://'],
    ['https://API.example/mcp', 'Enter it like this: https://api.example/mcp'],
    ['https://api.example:443', 'Enter it like this: https://api.example'],
    ['https://api.example./mcp', 'Enter it like this: https://api.example/mcp'],
    ['https://api.example..', 'Enter it like this: https://api.example'],
    ['https://api.example/a/../mcp', 'Enter it like this: https://api.example/mcp'],
  ])('%s is refused, by its own words beside the field, and kept as typed', async (identifier, words) => {
    const { browser, user } = await developer();
    const answer = await browser.follow(await registerApi(browser, { identifier }));
    expect(answer.status).toBe(400);
    expect(fieldError(answer.body, 'identifier')).toContain(words);
    expect(inputOf(answer.body, 'identifier')?.value).toBe(identifier);
    expect(await apisOf(user)).toEqual([]);
  });

  test('this service itself is nobody’s API', async () => {
    const { browser } = await developer();
    const { baseUrl } = service.parts.config;
    const answer = await browser.follow(await registerApi(browser, { identifier: `${baseUrl}/oauth` }));
    expect(fieldError(answer.body, 'identifier')).toContain('that of this service itself');
  });

  test.each(['http://localhost:4000/mcp', 'http://127.0.0.1:4000', 'http://[::1]:4000/'])(
    '%s is taken in development',
    async (identifier) => {
      const { browser } = await developer();
      expect(apiIdOn(await registerApi(browser, { identifier }))).not.toBe('');
    },
  );

  test('is one account’s alone, with a slash after the origin or without, and whose is not said', async () => {
    const [one, other] = [await developer(), await developer()];
    const origin = new URL(anIdentifier()).origin;
    expect(apiIdOn(await registerApi(one.browser, { identifier: `${origin}/` }))).not.toBe('');
    const answer = await other.browser.follow(await registerApi(other.browser, { identifier: origin }));
    expect(answer.status).toBe(400);
    expect(fieldError(answer.body, 'identifier')).toContain('already registered on this service');
    expect(answer.body).not.toContain(one.user.email);
    const path = await registerApi(other.browser, { identifier: `${origin}/v2` });
    expect(apiIdOn(path), 'another path is another identifier').not.toBe('');
  });

  test('the form that met a taken one can be sent again', async () => {
    const { browser } = await developer();
    const taken = anIdentifier();
    await registerApi((await developer()).browser, { identifier: taken });
    const { hidden } = await browser.get(NEW_API);
    await sendFields(browser, NEW_API, { ...hidden, ...API_REGISTRATION, identifier: taken });
    const answer = await sendFields(browser, NEW_API, {
      ...hidden,
      ...API_REGISTRATION,
      identifier: anIdentifier(),
    });
    expect(apiIdOn(answer)).not.toBe('');
  });
});

describe('the other fields', () => {
  test('each says what is wrong with it, in the order of the form', async () => {
    const { browser } = await developer();
    const fields = {
      identifier: 'notes',
      name: ' ',
      words_fr: 'x'.repeat(201),
      words_en: '',
      admits: 'all',
    };
    const answer = await browser.follow(await registerApi(browser, { ...fields, lifetime: 'x' }));
    expect(formErrors(answer.body)).toEqual([
      'Enter a name for the API.',
      'The identifier must be a full URL, such as https://api.example.com/mcp.',
      'The text in French must be 200 characters or fewer.',
      'Enter the text in English.',
      'Choose who can ask for tokens.',
      'Choose a lifetime, or enter a whole number from 60 to 86,400.',
    ]);
  });

  test.each([
    ['86400', 86_400],
    ['86,400', 86_400],
    ['86 400', 86_400],
    ['1\u202f800', 1800],
  ])(
    'a lifetime of %s seconds is taken, its thousands apart as the hint has them',
    async (typed, seconds) => {
      const { browser, user } = await developer();
      const fields = { identifier: anIdentifier(), lifetime: 'other', token_lifetime: typed };
      await registerApi(browser, fields);
      expect(await apisOf(user)).toMatchObject([{ tokenLifetime: seconds }]);
    },
  );

  test.each(['59', '86401', '1e3', '-60', '', '86 40', '8,64,00', '1.800'])(
    'a lifetime of %s seconds is refused',
    async (seconds) => {
      const { browser } = await developer();
      const fields = { identifier: anIdentifier(), lifetime: 'other', token_lifetime: seconds };
      const answer = await browser.follow(await registerApi(browser, fields));
      expect(fieldError(answer.body, 'token_lifetime')).toContain('from 60 to 86,400');
    },
  );
});

describe('who may', () => {
  test('no more than REGISTRATIONS_PER_ACCOUNT, even at once; whom to ask for more is said', async () => {
    const { browser, user } = await developer();
    await registerApi(browser, { identifier: anIdentifier() });
    const forms = await Promise.all([1, 2, 3].map(() => browser.get(NEW_API)));
    const answers = await Promise.all(
      forms.map(({ hidden }) =>
        sendFields(browser, NEW_API, { ...hidden, ...API_REGISTRATION, identifier: anIdentifier() }),
      ),
    );
    expect(await apisOf(user)).toHaveLength(2);
    const refused = answers.find((answer) => apiIdOn(answer) === '');
    expect(refused && (await browser.follow(refused)).body).toContain('the limit of 2 APIs per account');
    const { body } = await browser.get(APIS);
    expect(body).toContain('mailto:aide@example.fr');
    expect(body).not.toContain(`href="${NEW_API}"`);
  });

  test('where there is mail, an address that is not verified registers nothing', async () => {
    await using mailing = await startTestService(
      { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'sesame@example.com' },
      { databaseUrl: service.databaseUrl },
    );
    const user = await service.createUser();
    const browser = await signedInBrowser(mailing, user);
    expect((await browser.get(NEW_API)).body).toContain('Verify your email address first');
    const { hidden } = await (await signedInBrowser(service, user)).get(NEW_API);
    const { csrf = '' } = (await browser.get('/account/profile')).hidden;
    const fields = { ...hidden, csrf, ...API_REGISTRATION, identifier: anIdentifier() };
    expect((await sendFields(browser, NEW_API, fields)).status).toBe(403);
    expect(await apisOf(user)).toEqual([]);
    const verified = await signedInBrowser(mailing, await service.createUser({ emailVerified: true }));
    expect(apiIdOn(await registerApi(verified, { identifier: anIdentifier() }))).not.toBe('');
  });

  test('in production http is refused on this computer, too', async () => {
    const faults = (identifier: string) =>
      identifierFault(identifier, { baseUrl: 'https://id.example', production: true });
    expect(faults('http://localhost:4000/mcp')).toBe('identifierNotHttps');
    expect(faults('https://api.example/mcp')).toBeUndefined();
    expect(faults('https://id.example./mcp')).toBe('identifierOurs');
  });
});
