// Owns the look of refused requests in words, as diagnostics of applications and of APIs list them.

import type { RefusedEndpoint } from '../../http/route-config.ts';
import type { Messages } from '../../i18n/index.ts';
import type { Difference, NotedKind } from '../../oauth/reason.ts';
import { type Facts, QUOTA, type RefusalRow } from '../../store/refusals.ts';
import { prose } from '../../web/html/code.ts';
import { attention, buttonLink, submitButton, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { briefExactMoment, day } from '../../web/html/time.ts';

/** What happened, and what to do next where that does not say it. */
type Words = { what: string; next: string | undefined };

export type ShownRefusal = {
  refusal: RefusalRow;
  from: string;
  /** Other words than those for whoever was refused. */
  words?: Words | undefined;
  /** Rows that say which application it was, for a reader who is not its owner: shown in place of its address. */
  application?: Html | undefined;
};

type RefusalList = {
  messages: Messages;
  refusals: readonly ShownRefusal[];
  here: string;
  /** The incident code that is looked for; only its refusal is shown. */
  incident: string | undefined;
  text: Pick<Messages['diagnostics'], 'lead' | 'refusedHint' | 'none' | 'noneAdvice' | 'notFound'>;
};

/** Lead, search field for an incident code, and refused requests, latest first. @param after the lead */
export function refusedRequests(list: RefusalList, after?: Html | false): Html {
  const { messages, refusals, here, incident, text } = list;
  const words = messages.diagnostics;
  const items = html`<ol class="refusals">
${refusals.map((one) => entry(one, messages))}</ol>`;
  const latest =
    refusals.length === 0
      ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
      : html`<p class="quiet">${text.refusedHint(QUOTA)}</p>
${items}`;
  return html`<p class="lead">${text.lead}</p>
${after}
<form class="form search" method="get" action="${here}">
${textField({ name: 'incident', label: words.search, hint: words.searchHint, value: incident, optional: true, autocomplete: 'off' })}
${submitButton({ text: words.searchAction, kind: 'secondary' })}
</form>
${
  incident === undefined
    ? html`<h2>${words.refused}</h2>
${latest}`
    : html`<h2>${words.found(incident)}</h2>
${refusals.length === 0 ? attention(text.notFound(incident)) : items}
<p class="actions">${buttonLink({ text: words.showAll, href: here, kind: 'secondary' })}</p>`
}`;
}

/** Kinds that say how things went rather than what is wrong. */
const INFORMATION: readonly NotedKind[] = [
  'person_refused',
  'not_signed_in',
  'consent_needed',
  'request_expired',
  'scope_words_ignored',
  'api_suspended',
];

function entry(shown: ShownRefusal, messages: Messages): Html {
  const { refusal } = shown;
  const { what, next } = shown.words ?? wordsOf(refusal, messages);
  const facts = valuesOf(refusal.facts, messages);
  const differences = Array.isArray(refusal.facts.differences) ? refusal.facts.differences : [];
  const [only] = differences.length === 1 ? differences : [];
  const told = only === undefined ? fill(what, facts) : difference(only, messages);
  return html`<li class="refusal">
<h3 class="refusal-what">${told}</h3>
${
  differences.length > 1 &&
  html`<ul>
${differences.map((one) => html`<li>${difference(one, messages)}</li>`)}
</ul>`
}
${sides(refusal, messages)}
${next !== undefined && html`<p>${fill(next, facts)}</p>`}
${circumstances(shown, messages)}
</li>
`;
}

/** A process of another version may have written a kind that this one has no words for. */
const wordsOf = ({ kind }: RefusalRow, { diagnostics: text }: Messages): Words =>
  Object.hasOwn(text.causes, kind)
    ? { what: text.causes[kind as NotedKind], next: text.remedies[kind as NotedKind] }
    : { what: text.unknownCause, next: undefined };

/** The address that was sent and the one it is compared with, one above the other. */
function sides({ facts, kind }: RefusalRow, messages: Messages): Html | undefined {
  const { sent, nearest } = facts;
  const text = messages.diagnostics;
  if (!kind.includes('callback') || typeof sent !== 'string') return undefined;
  return html`<dl class="facts refusal-sides">
<div><dt>${text.sent}</dt><dd><code>${sent}</code></dd></div>
${
  typeof nearest === 'string' &&
  html`<div><dt>${kind === 'exchange_callback' ? text.authorized : text.registered}</dt><dd><code>${nearest}</code></dd></div>`
}
</dl>`;
}

/** The words for every address: one without words is a type error here. A newer version may have kept others. */
const endpointWords = ({ diagnostics }: Messages): Map<string, string> =>
  new Map(Object.entries(diagnostics.endpoints satisfies Record<RefusedEndpoint, string>));

function circumstances({ refusal, from, application }: ShownRefusal, messages: Messages): Html {
  const text = messages.diagnostics;
  const { kind, count, incidents, firstAt, lastAt, address } = refusal;
  const [newest, ...others] = incidents;
  const endpoint = endpointWords(messages).get(refusal.endpoint);
  return html`<dl class="facts refusal-facts">
<div><dt>${text.time}</dt><dd>${briefExactMoment(lastAt, messages)}${count > 1 && html` ${tag(text.times(count))}`}</dd></div>
${count > 1 && html`<div><dt>${text.since}</dt><dd>${briefExactMoment(firstAt, messages)}</dd></div>`}
<div><dt>${text.endpoint}</dt><dd>${endpoint ?? refusal.endpoint} ${tag(from)}</dd></div>
<div><dt>${text.error}</dt><dd>${refusal.error === '' ? text.served : html`<code>${refusal.error}</code>`}${INFORMATION.some((one) => one === kind) && html` ${tag(text.information)}`}</dd></div>
${application ?? html`<div><dt>${text.address}</dt><dd>${address === '' ? text.forgotten : address}</dd></div>`}
<div><dt>${others.length === 0 ? text.incident : text.incidents}</dt><dd><code>${newest}</code>${others.slice(0, 4).map((code) => html`, <code>${code}</code>`)}${others.length > 4 && html` ${text.others(others.length - 4)}`}</dd></div>
</dl>`;
}

function difference({ kind, sent, registered }: Difference, messages: Messages): Html {
  const text = messages.diagnostics;
  const side = (value: string): Html =>
    value === '' ? html`${text.nothing}` : html`<code>${value.replace(/^:/, '')}</code>`;
  return fill(text.differences[kind], { sent: side(sent), registered: side(registered) });
}

/** Facts in the form in which they stand in a sentence. */
function valuesOf(facts: Facts, messages: Messages): Record<string, Html> {
  const values: Record<string, Html> = {};
  for (const [name, value] of Object.entries(facts)) {
    if (Array.isArray(value)) continue;
    if (name === 'created' || name === 'expired') values[name] = day(new Date(String(value)), messages);
    else if (typeof value === 'number') values[name] = html`${String(value)}`;
    else if (name === 'holder') values[name] = html`<bdi>${String(value)}</bdi>`;
    else values[name] = html`<code>${String(value)}</code>`;
  }
  return values;
}

/** A sentence with its facts in the place of their names in braces, and what is code set as such. */
function fill(sentence: string, values: Record<string, Html>): Html {
  const pieces = sentence.split(/\{([a-z]+)\}/);
  return html`${pieces.map((piece, index) => (index % 2 === 0 ? prose(piece) : values[piece]))}`;
}
