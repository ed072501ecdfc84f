// Removal of invisible characters from names.
import { expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  API_REGISTRATION,
  apiPath,
  CLIENT_SETTINGS,
  clientPath,
  registerApi,
  registerClient,
  submitForm,
} from '../support/console-forms.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

/** Contains direction controls, a soft hyphen, a zero-width space, a BOM and a tag character. */
const HOSTILE_NAME =
  'Pay\u202epal\u202d \u2066by\u2069 \u200fAda\u200e\u061c \u00adSoft\u200bwidth\ufeff \u{e0041}tag\u{f0000} \u2028line\u2029  end';
const NORMALIZED_NAME = 'Pay pal by Ada Soft width tag line end';
const NAMES_WITH_CONTROL_CHARACTERS = ['Ada\u0000', 'A\u0007da', 'Ada\u001b[31m', 'Ada\u007f'];
/** Persian and Hindi words that need joiners. */
const NAME_WITH_JOINERS = 'نامه\u200cنگار क्\u200dष';

const queryAll = async (text: string) =>
  (await service.services.database.query({ name: '', text }, [])).map(({ name }) => name);
const listNames = async () => [
  ...(await queryAll('select name from users')),
  ...(await queryAll('select name from clients')),
  ...(await queryAll('select name from apis')),
];
async function listAddedNames(work: () => Promise<unknown>): Promise<unknown[]> {
  const before = await listNames();
  await work();
  const after = await listNames();
  for (const name of before) after.splice(after.indexOf(name), after.includes(name) ? 1 : 0);
  return after;
}

let emailCount = 0;
const createEmail = () => {
  emailCount += 1;
  return `name${emailCount}@exemple.fr`;
};

const SETTERS: Record<string, (name: string) => Promise<unknown>> = {
  'the sign-up form': (name) =>
    submitForm(openBrowserSession(service.baseUrl), '/signup', {
      name,
      email: createEmail(),
      password: PASSWORD,
    }),
  'the profile form': async (name) =>
    submitForm(await openSignedInBrowser(service, await service.createUser()), '/account/profile', { name }),
  'the registration form for applications': async (name) =>
    registerClient(await openSignedInBrowser(service, await service.createUser()), { name }),
  'the settings form for applications': async (name) => {
    const owner = await service.createUser();
    const { clientId } = await service.createClient({ ownerId: owner.userId });
    return submitForm(await openSignedInBrowser(service, owner), clientPath(clientId, '/edit'), {
      ...CLIENT_SETTINGS,
      name,
    });
  },
  'the registration form for APIs': async (name) => {
    const identifier = `https://${createEmail().split('@')[0]}.example/`;
    return registerApi(await openSignedInBrowser(service, await service.createUser()), { name, identifier });
  },
  'the settings form for APIs': async (name) => {
    const owner = await service.createUser();
    const { apiId } = await service.createApi({ ownerId: owner.userId });
    const fields = { ...API_REGISTRATION, name };
    return submitForm(await openSignedInBrowser(service, owner), apiPath(apiId, '/edit'), fields);
  },
  '`sesame users create`': (name) => cli.run(['users', 'create', '--email', createEmail(), '--name', name]),
  '`sesame apps create`': async (name) => {
    const owner = await service.createUser();
    const callback = 'https://client.example/callback';
    return cli.run(['apps', 'create', '--owner', owner.email, '--name', name, '--callback', callback]);
  },
};

test.each(Object.keys(SETTERS))('%s removes invisible characters from names', async (setter) => {
  const setName = (name: string) => listAddedNames(async () => SETTERS[setter]?.(name));
  expect(await setName(HOSTILE_NAME)).toContain(NORMALIZED_NAME);
  expect(await setName(NAME_WITH_JOINERS), 'the name still contains its joiners').toContain(
    NAME_WITH_JOINERS,
  );
  for (const name of NAMES_WITH_CONTROL_CHARACTERS) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: names must not contain any.
    for (const storedName of await setName(name)) expect(storedName).not.toMatch(/[\u0000-\u001f\u007f]/);
  }
});

test.each(Object.keys(SETTERS))('%s rejects a name without visible characters', async (setter) => {
  for (const name of ['\u3164', '\u2800', '\u200d\u200c', '\ufe0f', ' \u0301 '])
    expect(await listAddedNames(async () => SETTERS[setter]?.(name))).not.toContainEqual(
      expect.not.stringMatching(/[\p{L}\p{N}]/u),
    );
  expect(await listAddedNames(async () => SETTERS[setter]?.('❤\ufe0f'))).toContain('❤\ufe0f');
});

test('no name in the database contains invisible characters', async () => {
  const storedNames = await listNames();
  expect(storedNames.length).toBeGreaterThan(20);
  for (const name of storedNames) expect(name).not.toMatch(/(?![\u200c\u200d])\p{C}|[\u2028\u2029]/u);
});
