// Names carry no control or direction characters, whichever way they come in: they would let one name pass for another.
import { expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { API_REGISTRATION, at, atApi, fill, register, registerApi, SETTINGS } from '../support/console.ts';
import { signedInBrowser } from '../support/flow.ts';
import { PASSWORD, useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);

/** Overrides, embeddings and isolates of direction, marks, soft hyphen, zero width space, BOM, tag, private use. */
const HOSTILE =
  'Pay\u202epal\u202d \u2066by\u2069 \u200fAda\u200e\u061c \u00adSoft\u200bwidth\ufeff \u{e0041}tag\u{f0000} \u2028line\u2029  end';
const CLEAN = 'Pay pal by Ada Soft width tag line end';
/** What a form refuses altogether, as it refuses every control character (D17). */
const CONTROL = ['Ada\u0000', 'A\u0007da', 'Ada\u001b[31m', 'Ada\u007f'];
/** Joiners are part of how names are written, in Persian and in Hindi. */
const JOINED = 'نامه\u200cنگار क्\u200dष';

const all = async (text: string) =>
  (await service.parts.database.query({ name: '', text }, [])).map(({ name }) => name);
const names = async () => [
  ...(await all('select name from users')),
  ...(await all('select name from clients')),
  ...(await all('select name from apis')),
];
/** What a name came to after `work` wrote it: names that were not there before. */
async function written(work: () => Promise<unknown>): Promise<unknown[]> {
  const before = await names();
  await work();
  const after = await names();
  for (const name of before) after.splice(after.indexOf(name), after.includes(name) ? 1 : 0);
  return after;
}

let counter = 0;
const email = () => {
  counter += 1;
  return `name${counter}@exemple.fr`;
};

/** Every way by which a name gets in. */
const WAYS: Record<string, (name: string) => Promise<unknown>> = {
  'the sign-up page': (name) =>
    fill(openBrowserSession(service.baseUrl), '/signup', { name, email: email(), password: PASSWORD }),
  'the profile': async (name) =>
    fill(await signedInBrowser(service, await service.createUser()), '/account/profile', { name }),
  'the registration of an application': async (name) =>
    register(await signedInBrowser(service, await service.createUser()), { name }),
  'the settings of an application': async (name) => {
    const owner = await service.createUser();
    const { clientId } = await service.createApplication({ ownerId: owner.userId });
    return fill(await signedInBrowser(service, owner), at(clientId, '/edit'), { ...SETTINGS, name });
  },
  'the registration of an API': async (name) => {
    const identifier = `https://${email().split('@')[0]}.example/`;
    return registerApi(await signedInBrowser(service, await service.createUser()), { name, identifier });
  },
  'the settings of an API': async (name) => {
    const owner = await service.createUser();
    const { apiId } = await service.createApi({ ownerId: owner.userId });
    const fields = { ...API_REGISTRATION, name };
    return fill(await signedInBrowser(service, owner), atApi(apiId, '/edit'), fields);
  },
  'sesame users create': (name) => cli.run(['users', 'create', '--email', email(), '--name', name]),
  'sesame apps create': async (name) => {
    const owner = await service.createUser();
    const callback = 'https://client.example/callback';
    return cli.run(['apps', 'create', '--owner', owner.email, '--name', name, '--callback', callback]);
  },
};

test.each(Object.keys(WAYS))('%s cleans a name', async (way) => {
  const write = (name: string) => written(async () => WAYS[way]?.(name));
  expect(await write(HOSTILE)).toContain(CLEAN);
  expect(await write(JOINED), 'and takes nothing from one that is none of that').toContain(JOINED);
  for (const name of CONTROL) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there.
    for (const one of await write(name)) expect(one).not.toMatch(/[\u0000-\u001f\u007f]/);
  }
});

test.each(Object.keys(WAYS))('%s takes no name of which nothing is seen', async (way) => {
  for (const name of ['\u3164', '\u2800', '\u200d\u200c', '\ufe0f', ' \u0301 '])
    expect(await written(async () => WAYS[way]?.(name))).not.toContainEqual(
      expect.not.stringMatching(/[\p{L}\p{N}]/u),
    );
  expect(await written(async () => WAYS[way]?.('❤\ufe0f'))).toContain('❤\ufe0f');
});

test('no name in the database holds a character that is not seen, whatever was tried', async () => {
  const found = await names();
  expect(found.length).toBeGreaterThan(20);
  for (const name of found) expect(name).not.toMatch(/(?![\u200c\u200d])\p{C}|[\u2028\u2029]/u);
});
