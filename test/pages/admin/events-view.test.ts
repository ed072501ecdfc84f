// Details of audit events, in both languages.
import { expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { eventDetailsView } from '../../../src/pages/admin/events-view.ts';
import { readText } from '../../support/markup.ts';

test('each detail of an event is shown with its name and value', () => {
  const renderDetail = (locale: 'fr' | 'en', detail: Record<string, unknown>) =>
    eventDetailsView(detail, messagesFor(locale)).map((line) =>
      readText(line.toString()).trim().replaceAll(/\s/g, ' '),
    );
  for (const [detail, fr, en] of [
    [
      { with: ['pwd', 'otp'], way: 'password+app', browser: 'Chrome', system: 'Linux' },
      ['way Mot de passe et application d’authentification', 'Chrome sur Linux'],
      ['way Password and authenticator app', 'Chrome on Linux'],
    ],
    [{ number: 2, overlap: 3600 }, ['number 2', 'overlap 1 heure'], ['number 2', 'overlap 1 hour']],
    [
      { changed: ['redirectUris', 'scopes'], admin: false },
      ['changed redirectUris, scopes', 'admin false'],
      ['changed redirectUris, scopes', 'admin false'],
    ],
    [
      { until: '2026-03-11T10:00:00.000Z' },
      ['until 11 mars 2026 à 10 h 00 UTC'],
      ['until 11 Mar 2026, 10:00 UTC'],
    ],
    [
      { of_the_future: 3, way: 'by hand' },
      ['of_the_future 3', 'way by hand'],
      ['of_the_future 3', 'way by hand'],
    ],
  ] as const)
    expect([renderDetail('fr', detail), renderDetail('en', detail)]).toEqual([fr, en]);
});
