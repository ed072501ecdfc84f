// Owns the look of the integration checklist: what an application was seen doing, said no surer than it is known.

import type { Messages } from '../../i18n/index.ts';
import type { Observation } from '../../store/observations.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type TagMeaning, tag } from '../../web/html/tag.ts';
import { ago } from '../../web/html/time.ts';

type Checklist = {
  messages: Messages;
  observations: readonly Observation[];
};

type CheckName = keyof Messages['diagnostics']['checks'];

/** Each check, named like the observation that shows it, and what shows the contrary. */
const CHECKS: readonly [CheckName, contrary?: string][] = [
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

export function checklist(view: Checklist): Html {
  const { diagnostics: text } = view.messages;
  return html`<h2 id="checklist">${text.checklist}</h2>
<p class="quiet">${text.checklistHint}</p>
<ul class="checks">
${CHECKS.map(([name, contrary]) => check(name, contrary, view))}</ul>`;
}

function check(name: CheckName, contrary: string | undefined, { messages, observations }: Checklist): Html {
  const text = messages.diagnostics;
  const seen = observations.find(({ signal }) => signal === name);
  const without = observations.find(({ signal }) => signal === contrary);
  const state =
    seen === undefined
      ? without === undefined
        ? ('notSeen' as const)
        : ('never' as const)
      : without !== undefined && without.lastAt >= seen.firstAt
        ? ('alsoWithout' as const)
        : ('seen' as const);
  return html`<li class="check check--${state}">
<h3 class="check-title"><span>${text.checks[name]}</span> ${tag(text[state], MEANINGS[state])}</h3>
${lastSeen(text.lastSeen, seen, messages)}
${lastSeen(text.lastWithout, without, messages)}
</li>
`;
}

const lastSeen = (label: string, seen: Observation | undefined, messages: Messages): Html | undefined =>
  seen && html`<p class="check-time">${label} ${ago(seen.lastAt, messages)}</p>`;
