// The details of events of the audit log, as people say them, in both languages.
import { expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { eventDetails } from '../../../src/pages/operations/events-view.ts';
import { textIn } from '../../support/markup.ts';

test.each<[string, Record<string, unknown>, string[], string[]]>([
  ['failures', { times: 7 }, ['7 fois'], ['7 times']],
  ['one failure', { times: 1 }, ['1 fois'], ['once']],
  [
    'a way in and its browser',
    { with: ['pwd', 'otp', 'mfa'], way: 'password+app', browser: 'Chrome', system: 'Linux' },
    ['Mot de passe et application d’authentification', 'Chrome sur Linux'],
    ['Password and authenticator app', 'Chrome on Linux'],
  ],
  [
    'a secret and those before it',
    { number: 2, overlap: 3600 },
    ['secret n° 2', 'anciens secrets valables encore 1 heure'],
    ['secret no. 2', 'earlier secrets stay valid for 1 hour'],
  ],
  ['the first secret', { number: 1, overlap: 0 }, ['secret n° 1'], ['secret no. 1']],
  [
    'what goes with an account',
    { name: 'Zoé', applications: 2, apis: 0 },
    ['nom Zoé', '2 applications supprimées'],
    ['name Zoé', '2 applications deleted'],
  ],
  [
    'what was changed',
    { changed: ['redirectUris', 'refreshGrace', 'of_the_future'] },
    ['URL de retour, délai de grâce, of_the_future'],
    ['callback URLs, grace period, of_the_future'],
  ],
  [
    'whom an API admits',
    { admits: 'agents' },
    ['ouverte aux applications et aux agents'],
    ['open to applications and agents'],
  ],
  ['what is so', { operator: true }, ['responsable'], ['operator']],
  ['what is not so', { operator: false, passkeys: false }, [], []],
  [
    'what a newer version wrote',
    { of_the_future: 3, times: 'often', way: 'by hand' },
    ['of_the_future 3', 'times often', 'by hand'],
    ['of_the_future 3', 'times often', 'by hand'],
  ],
])('%s', (_, detail, fr, en) => {
  const said = (locale: 'fr' | 'en') =>
    eventDetails(detail, messagesFor(locale)).map((line) => textIn(line.toString()).trim());
  expect([said('fr'), said('en')]).toEqual([fr, en]);
});
