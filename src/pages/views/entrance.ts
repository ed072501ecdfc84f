// Owns what the sign-in and sign-up pages have in common: where one is going, and how many faults are left.
import { type Html, html } from '../../html/html.ts';
import type { Messages } from '../../i18n/index.ts';

/** « pour continuer vers NAME », with the host that the person will land on. */
export function destination(continueTo: string, application: { name: string; host: string }): Html {
  return html`<p class="destination">${continueTo} <strong><bdi>${application.name}</bdi></strong> <span class="host">${application.host}</span></p>`;
}

export function problemsTitle(messages: Messages, count: number): string {
  return count > 1 ? messages.problems.titleMany(count) : messages.problems.title;
}
