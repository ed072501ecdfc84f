// Details of audit events, in both languages.
import { expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { eventDetails } from '../../../src/pages/operations/events-view.ts';
import { textIn } from '../../support/markup.ts';

test('each detail has its name and its value in words; unknown ones are shown as they are', () => {
  const shown = (locale: 'fr' | 'en', detail: Record<string, unknown>) =>
    eventDetails(detail, messagesFor(locale)).map((line) => textIn(line.toString()).trim());
  for (const [detail, fr, en] of [
    [{ times: 7 }, ['nombre de fois 7'], ['times 7']],
    [
      { with: ['pwd', 'otp'], way: 'password+app', browser: 'Chrome', system: 'Linux' },
      ['par Mot de passe et application d’authentification', 'Chrome sur Linux'],
      ['by Password and authenticator app', 'Chrome on Linux'],
    ],
    [
      { number: 2, overlap: 3600 },
      ['secret n° 2', 'anciens secrets valables encore 1 heure'],
      ['secret no. 2', 'earlier secrets stay valid for 1 hour'],
    ],
    [
      { changed: ['redirectUris', 'of_the_future'], operator: false },
      ['modifié URL de retour, of_the_future', 'responsable non'],
      ['changed callback URLs, of_the_future', 'operator no'],
    ],
    [
      { admits: 'agents', item: 'redirect_uri', name: 'consent' },
      ['ouverte aux applications et aux agents', 'ajout URL de retour', 'nom consent'],
      ['open to applications and agents', 'addition callback URL', 'name consent'],
    ],
    [
      { until: '2026-03-11T10:00:00.000Z' },
      ['arrêt possible jusqu’au 11 mars 2026, 10 h 00 UTC'],
      ['can be stopped until 11 Mar 2026, 10:00 UTC'],
    ],
    [
      { of_the_future: 3, way: 'by hand' },
      ['of_the_future 3', 'par by hand'],
      ['of_the_future 3', 'by by hand'],
    ],
  ] as const)
    expect(
      [shown('fr', detail), shown('en', detail)].map((lines) =>
        lines.map((line) => line.replaceAll(/\s/g, ' ')),
      ),
    ).toEqual([fr, en]);
});
