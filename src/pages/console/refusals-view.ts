// The list of rejected requests in the diagnostics of applications and APIs.

import type { DiagnosedEndpoint } from '../../http/route-config.ts';
import type { Messages } from '../../i18n/index.ts';
import type { DiagnosticKind, UriDifference } from '../../oauth/refusal-reason.ts';
import type { RefusalFacts, RefusalFilter, RefusalKindRow, RefusalRow } from '../../store/refusals.ts';
import { breakable } from '../../web/html/breakable.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { markInlineCode } from '../../web/html/code.ts';
import { selectField, textField } from '../../web/html/fields.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { dateTimeSeconds, day } from '../../web/html/time.ts';

/** `what` is undefined if the title says what happened. `next` is undefined if the remedy is obvious. */
type Explanation = { what: string | undefined; next: string | undefined };

export type RefusalEntry = {
  refusal: RefusalRow;
  /** The collapsed row shows `icon` and `name`. The details show `description`. */
  sender: { icon: Html; name: Html | string; description: string };
  /** Replaces the standard explanation, which is for the client's developer. */
  explanation?: Explanation | undefined;
  fix?: Html | undefined;
  /** Shown instead of the IP address if the user doesn't own the client. */
  clientRow?: Html | undefined;
};

type RefusalList = {
  messages: Messages;
  refusals: readonly RefusalEntry[];
  kinds: readonly RefusalKindRow[];
  here: string;
  filter: RefusalFilter;
  text: Pick<Messages['diagnostics'], 'none' | 'noneAdvice' | 'notFound'>;
};

export function refusedRequestsView(list: RefusalList): Html {
  const { messages, refusals, kinds, here, filter, text } = list;
  const labels = messages.diagnostics;
  const { incident } = filter;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const title = html`<h2>${incident === undefined ? labels.refused : labels.found(incident)}</h2>`;
  if (kinds.length === 0 && !isFiltered)
    return html`${title}
<div class="empty">
<p class="empty-title">${text.none}</p>
<p>${text.noneAdvice}</p>
</div>`;
  return html`${title}
${filterForm(list)}
${
  refusals.length > 0
    ? html`<ol class="refusals">
${refusals.map((one, index) => refusalEntryView(one, index === 0, messages))}</ol>`
    : incident === undefined
      ? html`<div class="empty"><p class="empty-title">${labels.noMatch}</p></div>`
      : html`<div class="empty"><p>${text.notFound(incident)}</p></div>`
}
${isFiltered && html`<p class="paging"><a class="touch-target" href="${here}">${labels.showAll}</a></p>`}`;
}

function filterForm({ messages, kinds, here, filter }: RefusalList): Html {
  const text = messages.diagnostics;
  const endpoints = endpointLabels(messages);
  return html`<form class="form search refusal-filter" method="get" action="${here}">
${filterField({
  ...{ name: 'reason', label: text.reason, any: text.anyReason },
  selected: filter.kind,
  occurring: kinds.map(({ kind }) => kind),
  labelOf: (kind) => refusalTitle(kind, messages),
})}
${filterField({
  ...{ name: 'endpoint', label: text.endpoint, any: text.anyEndpoint },
  selected: filter.endpoint,
  occurring: kinds.map(({ endpoint }) => endpoint),
  labelOf: (endpoint) => endpoints.get(endpoint) ?? endpoint,
})}
${textField({ name: 'incident', label: text.incident, value: filter.incident, optional: true, autocomplete: 'off' })}
${submitButton({ text: text.filter, kind: 'secondary' })}
</form>`;
}

function filterField(field: {
  name: string;
  label: string;
  any: string;
  selected: string | undefined;
  occurring: readonly string[];
  labelOf: (value: string) => string;
}): Html {
  const { name, label, any, selected, occurring, labelOf } = field;
  const values = new Set(selected === undefined ? occurring : [...occurring, selected]);
  const options = [...values]
    .map((value) => ({ value, label: labelOf(value) }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return selectField({
    name,
    label,
    options: [{ value: '', label: any }, ...options],
    value: selected ?? '',
  });
}

/** Rejections that don't indicate a mistake by the client. */
const INFORMATIONAL_KINDS: readonly DiagnosticKind[] = [
  'user_denied',
  'not_signed_in',
  'consent_needed',
  'request_expired',
  'scopes_ignored',
  'api_suspended',
];

const isInformational = (kind: string): boolean => INFORMATIONAL_KINDS.some((one) => one === kind);

function refusalEntryView(shown: RefusalEntry, isOpen: boolean, messages: Messages): Html {
  const { refusal, sender } = shown;
  const { kind, count, lastAt } = refusal;
  const { what, next } = shown.explanation ?? standardExplanation(refusal, messages);
  const facts = formatFacts(refusal.facts, messages);
  const differences = Array.isArray(refusal.facts.differences) ? refusal.facts.differences : [];
  const [onlyDifference] = differences.length === 1 ? differences : [];
  const cause =
    onlyDifference === undefined
      ? what !== undefined && fillPlaceholders(what, facts)
      : describeDifference(onlyDifference, messages);
  // Hide the subject if a custom explanation has no placeholder for it.
  const subject =
    shown.explanation?.what?.includes('{') === false ? undefined : refusalSubject(refusal.facts);
  return html`<li class="refusal"><details${isOpen && html` open`}>
<summary>
<span class="refusal-reason"><strong>${refusalTitle(kind, messages)}</strong> ${isInformational(kind) && tag(messages.diagnostics.information)}${count > 1 && tag(messages.diagnostics.times(count))}${subject !== undefined && subjectView(subject)}</span>
<span class="refusal-meta">${dateTimeSeconds(lastAt, messages)} <span>${endpointLabels(messages).get(refusal.endpoint) ?? refusal.endpoint}</span> <span class="refusal-sender">${sender.icon} ${sender.name}</span></span>
</summary>
<div class="refusal-details">
${cause && html`<p>${cause}</p>`}
${
  differences.length > 1 &&
  html`<ul>
${differences.map((one) => html`<li>${describeDifference(one, messages)}</li>`)}
</ul>`
}
${urlComparison(refusal, messages)}
${(next !== undefined || shown.fix) && html`<p>${next !== undefined && fillPlaceholders(next, facts)} ${shown.fix}</p>`}
${requestDetails(shown, messages)}
</div>
</details></li>
`;
}

/** Kinds recorded by a newer version have no title. */
const refusalTitle = (kind: string, { diagnostics: { titles } }: Messages): string =>
  Object.hasOwn(titles, kind) ? titles[kind as DiagnosticKind] : kind;

const standardExplanation = (
  { kind }: RefusalRow,
  { diagnostics: { causes, remedies } }: Messages,
): Explanation => ({
  what: Object.hasOwn(causes, kind) ? causes[kind as DiagnosticKind] : undefined,
  next: Object.hasOwn(remedies, kind) ? remedies[kind as DiagnosticKind] : undefined,
});

/** Distinguishes rejections with the same title. Skips redacted values. */
const refusalSubject = (facts: RefusalFacts): string | undefined =>
  [facts.parameter, facts.scope, facts.sent, facts.scopes, facts.what].find(
    (one) => typeof one === 'string' && one !== '…',
  ) as string | undefined;

/** The collapsed row hides `https://` to show more of the URL. */
function subjectView(subject: string): Html {
  const [scheme = ''] = /^https:\/\//.exec(subject) ?? [];
  return html`<code>${scheme && html`<span class="refusal-scheme">${scheme}</span>`}${breakable(subject.slice(scheme.length))}</code>`;
}

function urlComparison({ facts, kind }: RefusalRow, messages: Messages): Html | undefined {
  const { sent, nearest } = facts;
  const text = messages.diagnostics;
  if (!kind.includes('redirect_uri') || typeof sent !== 'string') return undefined;
  return html`<dl class="facts refusal-columns">
<div><dt>${text.sent}</dt><dd><code>${breakable(sent)}</code></dd></div>
${
  typeof nearest === 'string' &&
  html`<div><dt>${kind === 'redirect_uri_mismatch' ? text.authorized : text.registered}</dt><dd><code>${breakable(nearest)}</code></dd></div>`
}
</dl>`;
}

/** A map because a newer version may have stored other endpoints. `satisfies` detects missing labels. */
const endpointLabels = ({ diagnostics }: Messages): Map<string, string> =>
  new Map(Object.entries(diagnostics.endpoints satisfies Record<DiagnosedEndpoint, string>));

function requestDetails({ refusal, sender, clientRow }: RefusalEntry, messages: Messages): Html {
  const text = messages.diagnostics;
  const { count, incidents, firstAt, ip } = refusal;
  const [newest, ...others] = incidents;
  const endpoint = endpointLabels(messages).get(refusal.endpoint);
  return html`<dl class="facts refusal-facts">
${count > 1 && html`<div><dt>${text.since}</dt><dd>${dateTimeSeconds(firstAt, messages)}</dd></div>`}
<div><dt>${text.endpoint}</dt><dd>${endpoint ?? refusal.endpoint}${!clientRow && html` ${tag(sender.description)}`}</dd></div>
<div><dt>${text.error}</dt><dd>${refusal.error === '' ? text.served : html`<code>${refusal.error}</code>`}</dd></div>
${clientRow ?? html`<div><dt>${text.address}</dt><dd>${ip === '' ? text.forgotten : ip}</dd></div>`}
<div><dt>${others.length === 0 ? text.incident : text.incidents}</dt><dd><code>${newest}</code>${others.slice(0, 4).map((code) => html`, <code>${code}</code>`)}${others.length > 4 && html` ${text.others(others.length - 4)}`}</dd></div>
</dl>`;
}

function describeDifference({ kind, sent, registered }: UriDifference, messages: Messages): Html {
  const text = messages.diagnostics;
  const formatPart = (value: string): Html =>
    value === '' ? html`${text.nothing}` : html`<code>${value.replace(/^:/, '')}</code>`;
  return fillPlaceholders(text.differences[kind], {
    sent: formatPart(sent),
    registered: formatPart(registered),
  });
}

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

/** Also formats code in the text between placeholders. */
function fillPlaceholders(sentence: string, values: Record<string, Html>): Html {
  const pieces = sentence.split(/\{([a-z]+)\}/);
  return html`${pieces.map((piece, index) => (index % 2 === 0 ? markInlineCode(piece) : values[piece]))}`;
}
