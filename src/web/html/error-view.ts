// Owns the look of every error page: what happened, what to do, and the code under which it can be found.

import type { Failure, Messages } from '../../i18n/index.ts';
import { buttonLink } from './form.ts';
import { type Html, html } from './html.ts';

export type ErrorView = Failure & {
  messages: Messages;
  incident?: string | undefined;
  /** Where to reach the operators, whom the code tells what happened. */
  reach?: Html | undefined;
  /** What was wrong, as machines are told it. */
  forDevelopers?: string | undefined;
  /** Only ever an address of this service, or one taken from a registered application. */
  link?: { href: string; text: string; leaves?: boolean } | undefined;
};

export function errorView(view: ErrorView): Html {
  const { messages, title, text, advice, incident, reach, link, forDevelopers } = view;
  return html`<div class="stopped">
<h1>${title}</h1>
<p class="lead">${text}</p>
<p>${advice}</p>
${link && html`<p class="actions">${buttonLink(link)}</p>`}
${
  forDevelopers &&
  html`<details class="apart"><summary>${messages.failures.forDevelopers}</summary>
<p lang="en">${forDevelopers}</p>
</details>`
}
${
  incident &&
  html`<div class="incident">
<p class="incident-label">${messages.failures.incident}</p>
<p class="incident-code"><code>${incident}</code></p>
<p class="quiet">${messages.failures.incidentAdvice}</p>
${reach}</div>`
}
</div>`;
}
