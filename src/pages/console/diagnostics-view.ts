// Owns the look of an application's diagnostics: its refused requests in words, and a checklist of what was observed.

import type { RefusedEndpoint } from '../../http/route-config.ts';
import type { Messages } from '../../i18n/index.ts';
import type { Difference, NotedKind } from '../../oauth/reason.ts';
import { type Facts, type Observation, QUOTA, type RefusalRow } from '../../store/refusals.ts';
import type { WatchedApplication } from '../../store/watched-applications.ts';
import { attention, buttonLink, submitButton, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, exactMoment } from '../../web/html/time.ts';
import { checklist } from './checklist-view.ts';
import { applicationAddress, watchedWay } from './parts-view.ts';

export type ShownRefusal = {
  refusal: RefusalRow;
  /** The callback URL that may be registered by one more click. */
  addCallback?: string | undefined;
  /** What the callback URL on localhost had better be, since it may then have any port. */
  loopback?: string | undefined;
  /** The callback URL leads to where the application has none. */
  foreignHost?: boolean;
};

export type DiagnosticsView = {
  messages: Messages;
  application: WatchedApplication;
  /** The code that is looked for; only what it belongs to is shown. */
  incident: string | undefined;
  refusals: readonly ShownRefusal[];
  observations: readonly Observation[];
};

export function diagnosticsView(view: DiagnosticsView): Html {
  const { messages, application, incident } = view;
  const text = messages.diagnostics;
  const here = applicationAddress(application.clientId, 'diagnostics');
  return html`${watchedWay(messages, application, 'diagnostics')}
<h1>${text.title(application.name)}</h1>
<p class="lead">${text.lead}</p>
${incident === undefined && html`<p><a href="#checklist">${text.checklist}</a></p>`}
<form class="form search" method="get" action="${here}">
${textField({ name: 'incident', label: text.search, hint: text.searchHint, value: incident, optional: true, autocomplete: 'off' })}
${submitButton({ text: text.searchAction, kind: 'secondary' })}
</form>
${incident === undefined ? everything(view) : searched(view, incident, here)}`;
}

function everything(view: DiagnosticsView): Html {
  const text = view.messages.diagnostics;
  return html`<h2>${text.refused}</h2>
${
  view.refusals.length === 0
    ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
    : html`<p class="quiet">${text.refusedHint(QUOTA)}</p>
${list(view)}`
}
<h2 id="checklist">${text.checklist}</h2>
<p class="quiet">${text.checklistHint}</p>
${checklist(view)}`;
}

function searched(view: DiagnosticsView, incident: string, all: string): Html {
  const text = view.messages.diagnostics;
  return html`<h2>${text.found(incident)}</h2>
${view.refusals.length === 0 ? attention(text.notFound(incident)) : list(view)}
<p class="actions">${buttonLink({ text: text.showAll, href: all, kind: 'secondary' })}</p>`;
}

const list = (view: DiagnosticsView): Html => html`<ol class="refusals">
${view.refusals.map((one) => entry(one, view))}</ol>`;

/** Kinds that say how things went rather than what is wrong. */
const INFORMATION: readonly NotedKind[] = [
  'person_refused',
  'not_signed_in',
  'consent_needed',
  'request_expired',
  'scope_words_ignored',
  'api_suspended',
];

function entry({ refusal, addCallback, loopback, foreignHost }: ShownRefusal, view: DiagnosticsView): Html {
  const { messages, application } = view;
  const text = messages.diagnostics;
  const { kind } = refusal;
  // A process of another version may have written a kind that this one has no words for.
  const { what, next } = Object.hasOwn(text.kinds, kind) ? text.kinds[kind as NotedKind] : text.unknownKind;
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
${(foreignHost || loopback === undefined) && html`<p>${foreignHost ? text.foreignHost : next}</p>`}
${loopback !== undefined && html`<p>${fill(text.loopback, { uri: html`<code>${loopback}</code>` })}</p>`}
${
  addCallback !== undefined &&
  html`<p class="actions">${buttonLink({
    text: text.addCallback,
    href: `${applicationAddress(application.clientId, 'edit')}?${new URLSearchParams({ add: addCallback })}`,
    kind: 'secondary',
  })}</p>
<p class="quiet">${text.addCallbackAdvice}</p>`
}
${circumstances(refusal, messages)}
</li>
`;
}

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

function circumstances(refusal: RefusalRow, messages: Messages): Html {
  const text = messages.diagnostics;
  const { kind, count, incidents, firstAt, lastAt, address, authenticated, held } = refusal;
  const [newest, ...others] = incidents;
  const endpoint = endpointWords(messages).get(refusal.endpoint);
  return html`<dl class="facts refusal-facts">
<div><dt>${text.time}</dt><dd>${exactMoment(lastAt, messages)}${count > 1 && html` ${tag(text.times(count))}`}</dd></div>
${count > 1 && html`<div><dt>${text.since}</dt><dd>${exactMoment(firstAt, messages)}</dd></div>`}
<div><dt>${text.endpoint}</dt><dd>${endpoint ?? refusal.endpoint} ${tag(authenticated ? text.fromApplication : held ? text.fromHolder : text.fromAnyone)}</dd></div>
<div><dt>${text.error}</dt><dd>${refusal.error === '' ? text.served : html`<code>${refusal.error}</code>`}${INFORMATION.some((one) => one === kind) && html` ${tag(text.information)}`}</dd></div>
<div><dt>${text.address}</dt><dd>${address === '' ? text.forgotten : address}</dd></div>
<div><dt>${others.length === 0 ? text.incident : text.incidents}</dt><dd><code>${newest}</code>${others.slice(0, 4).map((code) => html` <code>${code}</code>`)}${others.length > 4 && html` ${text.others(others.length - 4)}`}</dd></div>
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
    else if (name === 'application' || name === 'api') values[name] = html`<bdi>${String(value)}</bdi>`;
    else values[name] = html`<code>${String(value)}</code>`;
  }
  return values;
}

/** A sentence with its facts in the place of their names in braces. */
function fill(sentence: string, values: Record<string, Html>): Html {
  const pieces = sentence.split(/\{([a-z]+)\}/);
  return html`${pieces.map((piece, index) => (index % 2 === 0 ? piece : values[piece]))}`;
}
