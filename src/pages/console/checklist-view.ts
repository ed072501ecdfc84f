// Owns the look of the integration checklist: what an application was seen doing, said no surer than it is known.

import type { Messages } from '../../i18n/index.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import type { Observation } from '../../store/observations.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type TagMeaning, tag } from '../../web/html/tag.ts';
import { ago } from '../../web/html/time.ts';

type Checklist = {
  messages: Messages;
  application: { type: ClientType };
  observations: readonly Observation[];
};

type CheckName = keyof Messages['diagnostics']['checks'];

/** Each check with what shows it and, where there is one, what shows the contrary. */
const CHECKS: readonly [CheckName, shown: readonly string[], contrary?: string][] = [
  ['pkce', ['pkce'], 'without_pkce'],
  ['state', ['state'], 'without_state'],
  ['nonce', ['nonce'], 'without_nonce'],
  ['secret', ['secret_in_form', 'secret_as_basic']],
  ['userinfo', ['userinfo']],
  ['renewal', ['renewal']],
  ['revocation', ['revocation']],
];

const MEANINGS = {
  notSeen: undefined,
  never: 'waiting',
  alsoWithout: 'waiting',
  seen: 'good',
} as const satisfies Record<string, TagMeaning | undefined>;

export function checklist(view: Checklist): Html {
  // A public application has no secret to send.
  const checks = CHECKS.filter(([name]) => name !== 'secret' || view.application.type === 'confidential');
  const { diagnostics: text } = view.messages;
  return html`<h2 id="checklist">${text.checklist}</h2>
<p class="quiet">${text.checklistHint}</p>
<ul class="checks">
${checks.map(([name, shown, contrary]) => check(name, shown, contrary, view))}</ul>`;
}

function check(
  name: CheckName,
  shown: readonly string[],
  contrary: string | undefined,
  { messages, observations }: Checklist,
): Html {
  const text = messages.diagnostics;
  const of = (signals: readonly string[]) => observations.filter(({ signal }) => signals.includes(signal));
  const seen = latest(of(shown));
  const without = contrary === undefined ? undefined : latest(of([contrary]));
  const state =
    seen === undefined
      ? without === undefined
        ? ('notSeen' as const)
        : ('never' as const)
      : without !== undefined && without.lastAt >= seen.firstAt
        ? ('alsoWithout' as const)
        : ('seen' as const);
  const { title, why } = text.checks[name];
  return html`<li class="check check--${state}">
<h3 class="check-title"><span>${title}</span> ${tag(text[state], MEANINGS[state])}</h3>
<p class="quiet check-why">${why}</p>
${name === 'secret' && seen !== undefined && html`<p class="check-time">${howSent(observations, messages)}</p>`}
${lastSeen(text.lastSeen, seen, messages)}
${lastSeen(text.lastWithout, without, messages)}
</li>
`;
}

const latest = (observations: readonly Observation[]): Observation | undefined =>
  [...observations].sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime())[0];

function howSent(observations: readonly Observation[], { diagnostics: text }: Messages): string {
  const has = (name: string) => observations.some(({ signal }) => signal === name);
  if (has('secret_in_form') && has('secret_as_basic')) return text.secretBoth;
  return has('secret_in_form') ? text.secretInForm : text.secretAsBasic;
}

const lastSeen = (label: string, seen: Observation | undefined, messages: Messages): Html | undefined =>
  seen && html`<p class="check-time">${label} ${ago(seen.lastAt, messages)}</p>`;
