// Owns what is worth doing about an application, at the head of its own page: the pressing first.

import type { Messages } from '../../i18n/index.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { OwnSecret } from '../../store/secrets.ts';
import { html } from '../../web/html/html.ts';
import { moment } from '../../web/html/time.ts';
import type { Task } from '../../web/html/worth-doing.ts';
import { applicationAddress } from './frame-view.ts';
import { namedSecret } from './secrets-view.ts';

export interface Standing {
  application: OwnApplication;
  /** Its live secrets, latest first. */
  secrets: readonly OwnSecret[];
  /** Whether it can prove who it is by a key instead of a secret. */
  hasKeys: boolean;
  /** How many people are signed in through it. */
  people: number;
  /** Requests that were refused in the last week. */
  refused: number;
}

/** How long before its end the last secret is named, in milliseconds. */
const SOON = 14 * 24 * 3600 * 1000;

export function tasksOf(standing: Standing, messages: Messages, now: Date): Task[] {
  const { application, people, refused } = standing;
  const text = messages.applications.tasks;
  const way = (below: string, words: string) => ({
    href: applicationAddress(application.clientId, below),
    text: words,
  });
  const tasks: Task[] = [];
  if (application.type === 'confidential') tasks.push(...secretTasks(standing, messages, now));
  if (refused > 0) tasks.push({ text: text.refused(refused), way: way('diagnostics', text.seeRefused) });
  if (people === 0) tasks.push({ text: text.nobodyYet, way: way('integrate', text.integrate) });
  if (application.privacyPolicy === null)
    tasks.push({ text: text.noPrivacyPolicy, way: way('edit', text.addAddress) });
  if (application.logo === null) tasks.push({ text: text.noLogo, way: way('logo', text.addLogo) });
  return tasks;
}

function secretTasks({ application, secrets, hasKeys }: Standing, messages: Messages, now: Date): Task[] {
  const text = messages.applications.tasks;
  const href = applicationAddress(application.clientId, 'secrets');
  const [newest, ...former] = secrets;
  if (newest === undefined)
    return hasKeys ? [] : [{ text: text.noSecret, way: { href, text: text.newSecret }, pressing: true }];
  const last = Math.max(...secrets.map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY));
  if (last - now.getTime() < SOON)
    return [
      {
        text: html`${text.lastSecretEnds} ${moment(new Date(last), messages)}.`,
        way: { href, text: text.newSecret },
        pressing: true,
      },
    ];
  // The one that ends is still in use: whoever deployed its successor has forgotten a place.
  return former.flatMap((secret) =>
    secret.expiresAt !== null && secret.lastUsedAt !== null && secret.lastUsedAt > newest.createdAt
      ? [
          {
            text: html`${text.stillUsed} ${namedSecret(secret, messages)}. ${text.itEnds} ${moment(secret.expiresAt, messages)}.`,
            way: { href, text: text.seeSecrets },
            pressing: true,
          },
        ]
      : [],
  );
}
