// The scopes of an API in the console: adding, changing, removing.
import { describe, expect, test } from 'vitest';
import type { ApiScope } from '../../../../src/oauth/api.ts';
import { listEvents } from '../../../../src/store/events.ts';
import { findOwnApi } from '../../../../src/store/own-apis.ts';
import { atApi, type Fields, fill } from '../../../support/console.ts';
import { signedInBrowser } from '../../../support/flow.ts';
import { mailsTo } from '../../../support/mail.ts';
import { fieldError, formErrors, inputOf } from '../../../support/markup.ts';
import { PASSWORD, useTestService } from '../../../support/service.ts';

const service = useTestService();

const scope = (name: string): ApiScope => ({
  name,
  fr: `${name} !`,
  en: name,
  sensitive: false,
  agents: false,
});

async function owned(...names: string[]) {
  const user = await service.createUser();
  const { apiId } = await service.createApi({ ownerId: user.userId, scopes: names.map(scope) });
  const browser = await signedInBrowser(service, user);
  const scopes = async () => (await findOwnApi(service.parts.database, user.userId, apiId))?.scopes ?? [];
  const events = async () =>
    (await listEvents(service.parts.database, { apiId }, { limit: 10 })).map(({ kind, detail }) => [
      kind,
      detail.scope,
    ]);
  const add = (fields: Fields) => fill(browser, atApi(apiId, '/scopes/new'), { ...NOTES, ...fields });
  return { user, apiId, browser, scopes, events, add };
}

const NOTES: Fields = { scope: 'notes.read', words_fr: 'Lire vos notes', words_en: 'Read your notes' };
const edit = (name: string) => `/scopes/edit-${encodeURIComponent(name)}`;
const remove = (name: string) => `/scopes/remove-${encodeURIComponent(name)}`;

describe('adding', () => {
  test('a scope comes after the others, and the page says what it is', async () => {
    const { add, apiId, browser, scopes, events } = await owned('first');
    const answer = await add({ words_en: ' Read  your notes ', traits: ['sensitive', 'agents'] });
    const { body } = await browser.follow(answer);
    expect(body).toContain('The scope has been added.');
    for (const text of ['notes.read', 'Read your notes', 'sensitive', 'open to agents'])
      expect(body).toContain(text);
    expect(await scopes()).toEqual([
      scope('first'),
      { name: 'notes.read', fr: 'Lire vos notes', en: 'Read your notes', sensitive: true, agents: true },
    ]);
    expect(await events()).toEqual([['api_scope_added', 'notes.read']]);
    expect((await browser.get(atApi(apiId))).body).toContain('notes.read');
  });

  test('whatever stands between ! and ~ is a name of up to 64, but for quotation mark and backslash', async () => {
    const { add, scopes } = await owned();
    const names = [
      "!#$%&'()*+,-./:;<=>?@[]^_`{|}~",
      'a/b',
      '..',
      '%2e',
      'new',
      'x'.repeat(64),
      '%'.repeat(64),
    ];
    for (const name of names) expect((await add({ scope: name })).location?.search).toBe('?done=added');
    expect((await scopes()).map(({ name }) => name)).toEqual(names);
  });

  test('refuses what is no name beside its field, and keeps it as it was typed', async () => {
    const { add, browser, scopes } = await owned('first');
    const reserved = ['openid', 'profile', 'email', 'phone', 'offline_access'];
    const cases = [
      ['', 'Enter a name for the scope.'],
      ['x'.repeat(65), '64 characters or fewer'],
      ...['two words', '"', '\\', 'é'].map((name) => [name, 'no spaces'] as const),
      ...reserved.map((name) => [name, 'a scope of this service'] as const),
      ['first', 'already has a scope of this name'],
    ] as const;
    const shown: unknown[] = [];
    for (const [name] of cases) {
      const { body } = await browser.follow(await add({ scope: name }));
      shown.push([inputOf(body, 'scope')?.value, fieldError(body, 'scope')]);
    }
    expect(shown).toEqual(cases.map(([name, words]) => [name, expect.stringContaining(words)]));
    expect(await scopes()).toHaveLength(1);
  });

  test('words are needed in both languages', async () => {
    const { add, browser } = await owned();
    const { body } = await browser.follow(await add({ words_fr: ' ', words_en: 'x'.repeat(201) }));
    expect(fieldError(body, 'words_fr')).toContain('Enter the text in French.');
    expect(fieldError(body, 'words_en')).toContain('The text in English must be 200 characters or fewer.');
  });

  test('there are 40 at most', async () => {
    const { add, apiId, browser, scopes } = await owned(
      ...Array.from({ length: 40 }, (_, index) => `s${index}`),
    );
    expect((await browser.follow(await add({}))).body).toContain('An API has at most 40 scopes.');
    expect(await scopes()).toHaveLength(40);
    expect((await browser.get(atApi(apiId, ''))).body, 'not all of them').toContain('and 34 more');
  });

  test('is closed to agents unless its owner opens it, also where the API admits them', async () => {
    const { browser, apiId, user } = await owned();
    expect((await browser.get(atApi(apiId, '/scopes/new'))).body).not.toMatch(/value="agents" checked/);
    const open = await service.createApi({ ownerId: user.userId, admits: 'agents' });
    expect((await browser.get(atApi(open.apiId, '/scopes/new'))).body).not.toMatch(/value="agents" checked/);
  });
});

describe('changing', () => {
  test('its words and marks change, its name and place do not', async () => {
    const { browser, apiId, scopes, events } = await owned('a/b', 'c');
    const fields = { scope: 'other', words_fr: 'Autre', words_en: 'Other', traits: ['sensitive'] };
    const answer = await fill(browser, atApi(apiId, edit('a/b')), fields);
    expect(answer.location?.search).toBe('?done=changed');
    expect(await scopes()).toEqual([
      { name: 'a/b', fr: 'Autre', en: 'Other', sensitive: true, agents: false },
      scope('c'),
    ]);
    expect(await events()).toEqual([['api_scope_changed', 'a/b']]);
  });

  test('what opens the API further needs a recent sign-in, or the password, and its owner is mailed', async () => {
    const { browser, user, apiId, scopes } = await owned('c');
    const settings = { name: 'A', words_fr: 'A', words_en: 'A', admits: 'own', token_lifetime: '90' };
    await fill(browser, atApi(apiId, '/edit'), settings);
    await fill(browser, atApi(apiId, edit('c')), { ...NOTES, traits: 'sensitive' });
    const state = async () => {
      const [one] = await scopes();
      const api = await findOwnApi(service.parts.database, user.userId, apiId);
      return [api?.admits, one?.sensitive, one?.agents, (await scopes()).length];
    };
    service.clock.advance(16 * 60);
    const cases: [path: string, fields: Fields][] = [
      ['/edit', { ...settings, admits: 'applications' }],
      [edit('c'), NOTES],
      [edit('c'), { ...NOTES, traits: ['sensitive', 'agents'] }],
      ['/scopes/new', NOTES],
    ];
    for (const [path, fields] of cases) {
      const answer = await browser.follow(await fill(browser, atApi(apiId, path), fields));
      expect(formErrors(answer.body), path).toEqual(['Enter your current password.']);
    }
    expect(await state()).toEqual(['own', true, false, 1]);
    // Words, and what closes it, need none.
    await fill(browser, atApi(apiId, edit('c')), { ...NOTES, words_en: 'Other', traits: 'sensitive' });
    expect((await scopes())[0]?.en).toBe('Other');
    await fill(browser, atApi(apiId, '/scopes/new'), { ...NOTES, scope: 'd', traits: 'sensitive' });
    const changed = 'Settings of an API changed on Sésame';
    const mails = async () =>
      (await mailsTo(service, user.email)).filter(({ subject }) => subject === changed).length;
    expect(await mails()).toBe(0);
    for (const [path, fields] of cases)
      await fill(browser, atApi(apiId, path), { ...fields, current_password: PASSWORD });
    expect(await state()).toEqual(['applications', true, true, 3]);
    expect(await mails()).toBe(3);
  });

  test('a scope of any name has its pages', async () => {
    const names = ['..', '%2e', '?', "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", '%'.repeat(64)];
    const { browser, apiId } = await owned(...names);
    const { body } = await browser.get(atApi(apiId, '/scopes'));
    for (const below of names.flatMap((name) => [edit(name), remove(name)])) {
      expect(body).toContain(atApi(apiId, below).replace(/&/g, '&amp;').replace(/'/g, '&#39;'));
      expect((await browser.get(atApi(apiId, below))).status).toBe(200);
    }
  });
});

describe('removing', () => {
  test('is asked for on a page that says what ends, and takes it away', async () => {
    const { browser, apiId, scopes, events } = await owned('a', 'b');
    const page = await browser.get(atApi(apiId, remove('a')));
    expect(page.body).toContain('lose it at their next renewal');
    const answer = await fill(browser, atApi(apiId, remove('a')));
    expect(answer.location?.search).toBe('?done=removed');
    expect(await scopes()).toEqual([scope('b')]);
    expect(await events()).toEqual([['api_scope_removed', 'a']]);
    expect((await browser.get(atApi(apiId, remove('a')))).status, 'gone').toBe(404);
  });
});
