// The integration checklist, which shows whether a client's requests follow good practices.

import type { Messages } from '../../i18n/index.ts';
import type { Observation } from '../../store/client-observations.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type TagMeaning, tag } from '../../web/html/tag.ts';
import { timeAgo } from '../../web/html/time.ts';

type Checklist = {
  messages: Messages;
  observations: readonly Observation[];
};

type CheckName = keyof Messages['diagnostics']['checks'];

/**
 * Each check has the name of the observation that confirms it, followed by the observation that contradicts it, if
 * any.
 */
const CHECKS: readonly [CheckName, opposite?: string][] = [
  ['pkce', 'without_pkce'],
  ['state', 'without_state'],
  ['nonce', 'without_nonce'],
  ['userinfo'],
  ['renewal'],
  ['revocation'],
];

const MEANINGS = {
  notSeen: undefined,
  never: 'waiting',
  alsoWithout: 'waiting',
  seen: 'good',
} as const satisfies Record<string, TagMeaning | undefined>;

export function checklistView(view: Checklist): Html {
  const { diagnostics: text } = view.messages;
  return html`<h2 id="checklist">${text.checklist}</h2>
<p class="quiet">${text.checklistHint}</p>
<ul class="checks">
${CHECKS.map(([name, opposite]) => check(name, opposite, view))}</ul>`;
}

function check(name: CheckName, opposite: string | undefined, { messages, observations }: Checklist): Html {
  const text = messages.diagnostics;
  const observed = observations.find(({ signal }) => signal === name);
  const violated = observations.find(({ signal }) => signal === opposite);
  const state =
    observed === undefined
      ? violated === undefined
        ? ('notSeen' as const)
        : ('never' as const)
      : violated !== undefined && violated.lastAt >= observed.firstAt
        ? ('alsoWithout' as const)
        : ('seen' as const);
  return html`<li class="check check--${state}">
<h3 class="check-title"><span>${text.checks[name]}</span> ${tag(text[state], MEANINGS[state])}</h3>
${lastSeen(text.lastSeen, observed, messages)}
${lastSeen(text.lastWithout, violated, messages)}
</li>
`;
}

const lastSeen = (label: string, observed: Observation | undefined, messages: Messages): Html | undefined =>
  observed && html`<p class="check-time">${label} ${timeAgo(observed.lastAt, messages)}</p>`;
