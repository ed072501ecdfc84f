// Changing an API in the console: every setting but its identifier.
import { expect, test } from 'vitest';
import { listEvents } from '../../../../src/store/events.ts';
import { findOwnApi } from '../../../../src/store/own-apis.ts';
import { atApi } from '../../../support/api-console.ts';
import { fill } from '../../../support/console.ts';
import { signedInBrowser } from '../../../support/flow.ts';
import { formErrors, inputOf } from '../../../support/markup.ts';
import { useTestService } from '../../../support/service.ts';

const service = useTestService();

const SETTINGS = {
  name: 'Documents',
  words_fr: 'Vos papiers.',
  words_en: 'Your papers.',
  admits: 'agents',
  lifetime: 'other',
  token_lifetime: '120',
};

async function owned() {
  const user = await service.createUser();
  const { apiId, identifier } = await service.createApi({ ownerId: user.userId, tokenLifetime: 600 });
  return { user, apiId, identifier, browser: await signedInBrowser(service, user) };
}

test('the page shows the settings as they stand, a lifetime that is not offered among them', async () => {
  const { browser, apiId, identifier } = await owned();
  const { body } = await browser.get(atApi(apiId, '/edit'));
  expect(inputOf(body, 'name')?.value).toBe('Archives');
  expect(inputOf(body, 'token_lifetime')?.value).toBe('600');
  expect(body).toMatch(/value="other" checked/);
  expect(body).toContain(identifier);
  expect(inputOf(body, 'identifier'), 'it is in every token').toBeUndefined();
});

test('every setting is changed, the identifier never, and the audit log says what', async () => {
  const { browser, user, apiId, identifier } = await owned();
  const answer = await fill(browser, atApi(apiId, '/edit'), {
    ...SETTINGS,
    identifier: 'https://other.example/',
  });
  expect(answer.location?.search).toBe('?done=changed');
  const { database } = service.parts;
  expect(await findOwnApi(database, user.userId, apiId)).toMatchObject({
    identifier,
    name: 'Documents',
    wordsFr: 'Vos papiers.',
    wordsEn: 'Your papers.',
    admits: 'agents',
    tokenLifetime: 120,
  });
  const [event] = await listEvents(database, { apiId }, { limit: 1 });
  expect(event).toMatchObject({
    kind: 'api_changed',
    actorId: user.userId,
    apiName: 'Documents',
    detail: { changed: ['name', 'wordsFr', 'wordsEn', 'admits', 'tokenLifetime'], admits: 'agents' },
  });
});

test('what is not good changes nothing, and is said', async () => {
  const { browser, user, apiId } = await owned();
  const answer = await browser.follow(
    await fill(browser, atApi(apiId, '/edit'), { ...SETTINGS, name: '', token_lifetime: '5' }),
  );
  expect(formErrors(answer.body)).toEqual([
    'Enter a name for the API.',
    'Choose a lifetime, or enter a whole number from 60 to 86,400.',
  ]);
  expect((await findOwnApi(service.parts.database, user.userId, apiId))?.admits).toBe('applications');
});
