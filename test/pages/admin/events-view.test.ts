import { expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import type { SecurityAlert } from '../../../src/mail/email.ts';
import { eventDetailsView } from '../../../src/pages/admin/events-view.ts';
import type { EventKind } from '../../../src/store/audit-log.ts';
import type { ApiSettings } from '../../../src/store/owned-apis.ts';
import type { ClientSettings } from '../../../src/store/owned-clients.ts';
import type { AddedKind } from '../../../src/store/recent-additions.ts';
import { readText } from '../../support/markup.ts';
import { readSources } from '../../support/source-files.ts';

test('each detail of an event is shown with its name and value', () => {
  const renderDetail = (locale: 'fr' | 'en', detail: Record<string, unknown>) =>
    eventDetailsView(detail, messagesFor(locale)).map((line) =>
      readText(line.toString()).trim().replaceAll(/\s/g, ' '),
    );
  for (const [detail, fr, en] of [
    [
      { with: ['pwd', 'otp'], method: 'password+app', browser: 'Chrome', system: 'Linux' },
      ['Méthode : Mot de passe et application d’authentification', 'Chrome sur Linux'],
      ['Method: Password and authenticator app', 'Chrome on Linux'],
    ],
    [
      { number: 2, overlap: 3600 },
      ['Numéro du secret : 2', 'Secret précédent valable pendant : 1 heure'],
      ['Secret number: 2', 'Previous secret works for: 1 hour'],
    ],
    [
      { changed: ['redirectUris', 'scopes'], admin: false },
      ['Modifié : URL de retour, portées', 'Administrateur : non'],
      ['Changed: callback URLs, scopes', 'Administrator: no'],
    ],
    [
      { changed: ['logo', 'of_the_future'], type: 'public', part: 'protocol', notice: '' },
      ['Modifié : logo, of_the_future', 'Type : publique, sans secret', 'Modifié : réglages du protocole'],
      ['Changed: logo, of_the_future', 'Type: public, without a secret', 'Changed: protocol settings'],
    ],
    [
      { item: 'redirect_uri', notice: 'password_changed', scopes: ['openid', 'email'], name: 'logo' },
      [
        'Élément : URL de retour',
        'E‑mail signalé : Mot de passe changé',
        'Portées : openid, email',
        'Nom : logo',
      ],
      ['Item: callback URL', 'Reported email: Password changed', 'Scopes: openid, email', 'Name: logo'],
    ],
    [
      { until: '2026-03-11T10:00:00.000Z' },
      ['Prévue le : 11 mars 2026 à 10 h 00 UTC'],
      ['Scheduled for: 11 Mar 2026, 10:00 UTC'],
    ],
    [
      { of_the_future: 3, method: 'by hand' },
      ['of_the_future 3', 'Méthode : by hand'],
      ['of_the_future 3', 'Method: by hand'],
    ],
  ] as const)
    expect([renderDetail('fr', detail), renderDetail('en', detail)]).toEqual([fr, en]);
});

const listKeys = (literal = ''): string[] => literal.match(/(?<=[{,]\s*)\w+(?=\s*[:,}])/g) ?? [];

/** Finds the detail names in all code that records events. */
async function listRecordedDetails(): Promise<Set<string>> {
  const sources = (await readSources('src/**/*.ts')).filter(
    ([path, text]) =>
      /\brecord(?:Own|Owner)?Event\(|recordModeration\(|insert into events/.test(text) &&
      !path.includes('i18n'),
  );
  const objects = sources.flatMap(([, text]) => [
    ...text.matchAll(/\bdetail(?: =|:) (\{[^;]*?\})(?: as const)?[,;\s)]/g),
    ...text.matchAll(/\bnow,\s*(?:passkeys \? )?(\{[^;]*?\}),?\s*\)/g),
    ...text.matchAll(/\bconst allowedClients = [^{]*(\{.*\})/g),
    ...text.matchAll(/function toEventDetail.*?return (\{.*?\});/gs),
    ...text.matchAll(/'(\{"\w+":)/g),
  ]);
  return new Set(
    objects.flatMap(([, literal]) => listKeys(literal?.replaceAll('"', '').replace(/:$/, ':}'))),
  );
}

test('each recorded detail has a label in both languages', async () => {
  const recorded = await listRecordedDetails();
  // These names are not event details.
  for (const name of ['since', 'fromNewBrowser', 'exceptIdHash', 'passkeyOnly', 'identityOnly'])
    expect(recorded.delete(name), name).toBe(true);
  for (const locale of ['fr', 'en'] as const) {
    const labels = messagesFor(locale).operations.details;
    // These two details are shown without a label.
    expect([...Object.keys(labels), 'browser', 'system'].sort()).toEqual([...recorded].sort());
  }
});

test('each value of an event detail has a label in both languages', () => {
  type DetailValue =
    | keyof (ClientSettings &
        ApiSettings &
        Record<'logo' | 'email' | 'phone' | 'language' | 'protocol', string>)
    | ApiSettings['allowedClients']
    | AddedKind
    | Exclude<SecurityAlert, EventKind>;
  for (const locale of ['fr', 'en'] as const) {
    // The type requires a label for each value.
    const labels: Record<DetailValue, string> = messagesFor(locale).operations.detailValues;
    const [line] = eventDetailsView({ changed: Object.keys(labels) }, messagesFor(locale));
    expect(readText(String(line))).toContain(Object.values(labels).join(', '));
  }
});
