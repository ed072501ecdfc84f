// The list of rejected requests in the diagnostics of applications and APIs.

import type { DiagnosedEndpoint } from '../../http/route-config.ts';
import type { Messages } from '../../i18n/index.ts';
import type { DiagnosticKind, UriDifference } from '../../oauth/refusal-reason.ts';
import { MAX_REFUSALS, type RefusalFacts, type RefusalRow } from '../../store/refusals.ts';
import { markInlineCode } from '../../web/html/code.ts';
import { attentionNotice, buttonLink, submitButton, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day, shortDateTimeSeconds } from '../../web/html/time.ts';

/** What happened, and what to do next. `next` is undefined if the next step is obvious. */
type Explanation = { what: string; next: string | undefined };

export type RefusalEntry = {
  refusal: RefusalRow;
  sender: string;
  /** Replaces the standard explanation, which is written for the client's developer. */
  explanation?: Explanation | undefined;
  /** Rows that identify the client to users who don't own the client. They replace the IP address. */
  clientRow?: Html | undefined;
};

type RefusalList = {
  messages: Messages;
  refusals: readonly RefusalEntry[];
  here: string;
  /** The incident code in the search form. If it is set, only the request with this code is shown. */
  incident: string | undefined;
  text: Pick<Messages['diagnostics'], 'lead' | 'refusedHint' | 'none' | 'noneAdvice' | 'notFound'>;
};

/**
 * A search form for incident codes, and the rejected requests, newest first.
 * @param after content below the lead text
 */
export function refusedRequestsView(list: RefusalList, after?: Html | false): Html {
  const { messages, refusals, here, incident, text } = list;
  const labels = messages.diagnostics;
  const items = html`<ol class="refusals">
${refusals.map((one) => entry(one, messages))}</ol>`;
  const latest =
    refusals.length === 0
      ? html`<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`
      : html`<p class="quiet">${text.refusedHint(MAX_REFUSALS)}</p>
${items}`;
  return html`<p class="lead">${text.lead}</p>
${after}
<form class="form search" method="get" action="${here}">
${textField({ name: 'incident', label: labels.search, hint: labels.searchHint, value: incident, optional: true, autocomplete: 'off' })}
${submitButton({ text: labels.searchAction, kind: 'secondary' })}
</form>
${
  incident === undefined
    ? html`<h2>${labels.refused}</h2>
${latest}`
    : html`<h2>${labels.found(incident)}</h2>
${refusals.length === 0 ? attentionNotice(text.notFound(incident)) : items}
<p class="actions">${buttonLink({ text: labels.showAll, href: here, kind: 'secondary' })}</p>`
}`;
}

/** Kinds of rejection that don't indicate a mistake by the client. */
const INFORMATIONAL_KINDS: readonly DiagnosticKind[] = [
  'user_denied',
  'not_signed_in',
  'consent_needed',
  'request_expired',
  'scopes_ignored',
  'api_suspended',
];

function entry(shown: RefusalEntry, messages: Messages): Html {
  const { refusal } = shown;
  const { what, next } = shown.explanation ?? explain(refusal, messages);
  const facts = formatFacts(refusal.facts, messages);
  const differences = Array.isArray(refusal.facts.differences) ? refusal.facts.differences : [];
  const [onlyDifference] = differences.length === 1 ? differences : [];
  const cause = onlyDifference === undefined ? fill(what, facts) : difference(onlyDifference, messages);
  return html`<li class="refusal">
<h3 class="refusal-summary">${cause}</h3>
${
  differences.length > 1 &&
  html`<ul>
${differences.map((one) => html`<li>${difference(one, messages)}</li>`)}
</ul>`
}
${urlComparison(refusal, messages)}
${next !== undefined && html`<p>${fill(next, facts)}</p>`}
${requestFacts(shown, messages)}
</li>
`;
}

/** Explains a rejection. The kind is unknown if a newer version of the service recorded the rejection. */
const explain = ({ kind }: RefusalRow, { diagnostics: text }: Messages): Explanation =>
  Object.hasOwn(text.causes, kind)
    ? { what: text.causes[kind as DiagnosticKind], next: text.remedies[kind as DiagnosticKind] }
    : { what: text.unknownCause, next: undefined };

/** Shows the URL in the request, and the expected URL below it. */
function urlComparison({ facts, kind }: RefusalRow, messages: Messages): Html | undefined {
  const { sent, nearest } = facts;
  const text = messages.diagnostics;
  if (!kind.includes('callback') || typeof sent !== 'string') return undefined;
  return html`<dl class="facts refusal-columns">
<div><dt>${text.sent}</dt><dd><code>${sent}</code></dd></div>
${
  typeof nearest === 'string' &&
  html`<div><dt>${kind === 'redirect_uri_mismatch' ? text.authorized : text.registered}</dt><dd><code>${nearest}</code></dd></div>`
}
</dl>`;
}

/**
 * Returns a map, because a newer version of the service may have stored unknown endpoints. `satisfies` detects
 * missing labels.
 */
const endpointLabels = ({ diagnostics }: Messages): Map<string, string> =>
  new Map(Object.entries(diagnostics.endpoints satisfies Record<DiagnosedEndpoint, string>));

function requestFacts({ refusal, sender, clientRow }: RefusalEntry, messages: Messages): Html {
  const text = messages.diagnostics;
  const { kind, count, incidents, firstAt, lastAt, ip } = refusal;
  const [newest, ...others] = incidents;
  const endpoint = endpointLabels(messages).get(refusal.endpoint);
  return html`<dl class="facts refusal-facts">
<div><dt>${text.time}</dt><dd>${shortDateTimeSeconds(lastAt, messages)}${count > 1 && html` ${tag(text.times(count))}`}</dd></div>
${count > 1 && html`<div><dt>${text.since}</dt><dd>${shortDateTimeSeconds(firstAt, messages)}</dd></div>`}
<div><dt>${text.endpoint}</dt><dd>${endpoint ?? refusal.endpoint} ${tag(sender)}</dd></div>
<div><dt>${text.error}</dt><dd>${refusal.error === '' ? text.served : html`<code>${refusal.error}</code>`}${INFORMATIONAL_KINDS.some((one) => one === kind) && html` ${tag(text.information)}`}</dd></div>
${clientRow ?? html`<div><dt>${text.address}</dt><dd>${ip === '' ? text.forgotten : ip}</dd></div>`}
<div><dt>${others.length === 0 ? text.incident : text.incidents}</dt><dd><code>${newest}</code>${others.slice(0, 4).map((code) => html`, <code>${code}</code>`)}${others.length > 4 && html` ${text.others(others.length - 4)}`}</dd></div>
</dl>`;
}

function difference({ kind, sent, registered }: UriDifference, messages: Messages): Html {
  const text = messages.diagnostics;
  const side = (value: string): Html =>
    value === '' ? html`${text.nothing}` : html`<code>${value.replace(/^:/, '')}</code>`;
  return fill(text.differences[kind], { sent: side(sent), registered: side(registered) });
}

/** Formats facts about a rejection for use in a sentence. */
function formatFacts(facts: RefusalFacts, messages: Messages): Record<string, Html> {
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

/** Replaces placeholders in braces with values, and formats code in the remaining text. */
function fill(sentence: string, values: Record<string, Html>): Html {
  const pieces = sentence.split(/\{([a-z]+)\}/);
  return html`${pieces.map((piece, index) => (index % 2 === 0 ? markInlineCode(piece) : values[piece]))}`;
}
