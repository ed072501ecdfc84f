// Integration checklist, which shows whether a client's requests follow good practice.

import type { Messages } from '../../i18n/index.ts';
import type { Observation } from '../../store/client-observations.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type IconName, icon } from '../../web/html/icons.ts';
import { timeAgo } from '../../web/html/time.ts';

type CheckName = keyof Messages['diagnostics']['checks'];
type CheckState = 'seen' | 'never' | 'alsoWithout' | 'notSeen' | 'optional';
type Check = { name: CheckName; state: CheckState; lastAt: Date | undefined };

/** `opposite` is the observation that contradicts the check. */
const CHECKS: readonly [CheckName, opposite?: string][] = [
  ['pkce', 'without_pkce'],
  ['state', 'without_state'],
  ['nonce', 'without_nonce'],
  ['exchange'],
  ['userinfo'],
  ['renewal'],
  ['revocation'],
];

const STATE_ICONS: Record<CheckState, IconName> = {
  seen: 'circle-check',
  never: 'triangle-alert',
  alsoWithout: 'triangle-alert',
  notSeen: 'clock',
  optional: 'circle-minus',
};

const hasFailed = (state: CheckState): boolean => state === 'never' || state === 'alsoWithout';

/**
 * The list is collapsed after a successful sign-in if no check has failed.
 * @param fixHref undefined if the user can't open the page
 */
export function checklistView(
  observations: readonly Observation[],
  messages: Messages,
  fixHref: string | undefined,
): Html {
  const text = messages.diagnostics;
  const checks = CHECKS.map(([name, opposite]) => evaluateCheck(name, opposite, observations));
  const fixLink = fixHref && html` <a href="${fixHref}">${messages.applications.detail.integrate}</a>`;
  const isComplete =
    observations.some(({ signal }) => signal === 'exchange') && !checks.some(({ state }) => hasFailed(state));
  const title = isComplete
    ? html`<span class="check--seen">${icon('circle-check')}</span> ${text.complete}`
    : text.checklist;
  return html`<details class="folded checklist"${!isComplete && html` open`}>
<summary><h2>${title}</h2></summary>
<ul class="checks">
${checks.map(
  ({ name, state, lastAt }) => html`<li class="check check--${state}">
${icon(STATE_ICONS[state])}<span><strong>${text.checks[name]}</strong> <span class="quiet">${text[state]}${lastAt && html` · ${timeAgo(lastAt, messages)}`}</span>${hasFailed(state) && fixLink}</span>
</li>
`,
)}</ul>
</details>`;
}

function evaluateCheck(
  name: CheckName,
  opposite: string | undefined,
  observations: readonly Observation[],
): Check {
  const findObservation = (signal: string | undefined) => observations.find((one) => one.signal === signal);
  const observed = findObservation(name);
  // PKCE makes the nonce optional (RFC 9700 §2.1.1).
  const isOptional = name === 'nonce' && findObservation('without_pkce') === undefined;
  const violated = isOptional ? undefined : findObservation(opposite);
  if (violated !== undefined && (observed === undefined || violated.lastAt >= observed.firstAt))
    return { name, state: observed === undefined ? 'never' : 'alsoWithout', lastAt: violated.lastAt };
  const notSeen = isOptional || name === 'revocation' ? 'optional' : 'notSeen';
  return { name, state: observed === undefined ? notSeen : 'seen', lastAt: observed?.lastAt };
}
