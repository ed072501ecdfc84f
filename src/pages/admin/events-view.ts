// Views of audit log events.
import type { Messages } from '../../i18n/index.ts';
import { isSignInMethod } from '../../oauth/sign-in-method.ts';
import type { EventKind, EventRow } from '../../store/audit-log.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { describeDevice, describeSignInMethod } from '../../web/html/sign-in-text.ts';
import { dateTime, dateTimeSeconds } from '../../web/html/time.ts';
import { ADMIN_URL, AUDIT_URL, clientLink, emailLink, ipView, urlWithParameters } from './layout.ts';

/** Kinds logged by a newer version have no label. */
export const eventLabel = (kind: string, { operations: { events } }: Messages): string =>
  Object.hasOwn(events, kind) ? events[kind as EventKind] : kind;

export function eventListView(events: readonly EventRow[], messages: Messages): Html {
  const { when, what, actor: by, target, address } = messages.operations;
  return html`<div class="event-list">
<div class="event-list-headings" aria-hidden="true"><span>${when}</span><span>${what}</span><span>${by}</span><span>${target}</span><span>${address}</span></div>
<ul>
${events.map((event) => eventRow(event, messages))}</ul>
</div>`;
}

function eventRow(event: EventRow, messages: Messages): Html {
  const { actor: by, target, unfold, address, when, detailLabel: label } = messages.operations;
  const name = eventLabel(event.kind, messages);
  const targets = targetLinks(event, messages);
  const visuallyHidden = (text: string) => html`<span class="visually-hidden">${text} </span>`;
  const exactTime = html`<span class="quiet">${label(when)}</span> ${dateTimeSeconds(event.at, messages)}`;
  return html`<li class="event">
${dateTime(event.at, messages)}
<strong>${name}</strong>
<span class="event-parties"><span class="event-actor">${visuallyHidden(by)}${actorLink(event, messages) ?? '–'}</span>
<span class="event-target">${targets.length > 0 && html`${visuallyHidden(target)}${targets}`}</span></span>
<span class="event-ip">${event.ip !== null && html`${visuallyHidden(address)}${ipView(event.ip)}`}</span>
<details>
<summary><span class="visually-hidden">${unfold(name)}</span></summary>
<div class="event-details">${eventDetailsView(detailsToShow(event), messages)}${detailView(exactTime)}</div>
</details>
</li>
`;
}

export const eventLinesView = (events: readonly EventRow[], messages: Messages): Html =>
  html`<ul class="event-lines">
${events.map((event) => {
  const parties = [actorLink(event, messages), ...targetLinks(event, messages)].filter(
    (party) => party !== undefined,
  );
  return html`<li>${dateTime(event.at, messages)} <strong>${eventLabel(event.kind, messages)}</strong> <span>${parties.map((party) => html`<span>${party}</span> `)}</span></li>
`;
})}</ul>`;

const actorLink = ({ actorId, actorEmail }: EventRow, messages: Messages): Html | undefined =>
  accountLink(actorId, actorEmail, messages);

/** Omits an email address that the link to the account already shows. */
function detailsToShow({ kind, detail, userId, actorId, userEmail }: EventRow): Record<string, unknown> {
  const { email, ...others } = detail;
  const isEmailInLink = email === userEmail && userId !== actorId && !kind.startsWith('email_');
  return isEmailInLink ? others : detail;
}

export function recentEventsView(id: string, events: readonly EventRow[], messages: Messages): Html {
  const { operations: text } = messages;
  return html`<h2>${text.recentEvents}</h2>
${
  events.length === 0
    ? html`<p class="quiet">${text.noEvent}</p>`
    : html`${eventListView(events, messages)}
<p class="paging"><a class="touch-target" href="${urlWithParameters(AUDIT_URL, { search: id })}">${text.eventsAbout}</a></p>`
}`;
}

function targetLinks(event: EventRow, messages: Messages): Html[] {
  const { userId, userEmail, actorId } = event;
  const person = userId === actorId ? undefined : accountLink(userId, userEmail, messages);
  return [person, applicationLink(event, messages), apiLink(event, messages)].flatMap((one) =>
    one === undefined ? [] : [html`${one} `],
  );
}

function accountLink(id: string | null, email: string | null, { operations }: Messages): Html | undefined {
  if (id === null) return undefined;
  return email === null
    ? html`<span class="quiet">${operations.deletedAccount}</span> <code>${id}</code>`
    : emailLink(id, email);
}

function applicationLink(event: EventRow, messages: Messages): Html | undefined {
  const { clientId, clientName, logo } = event;
  if (clientId === null) return undefined;
  return clientName === null
    ? deletedTargetView(clientId, event, messages.operations.deletedApplication)
    : clientLink({ clientId, name: clientName, logo }, messages);
}

function apiLink(event: EventRow, { operations }: Messages): Html | undefined {
  const { apiId, apiName } = event;
  if (apiId === null) return undefined;
  return apiName === null
    ? deletedTargetView(apiId, event, operations.deletedApi)
    : html`<a href="${ADMIN_URL}/apis/${apiId}"><bdi>${apiName}</bdi></a>`;
}

/** Deletion events contain the name of what was deleted. */
const deletedTargetView = (id: string, { kind, detail }: EventRow, label: string): Html =>
  html`${kind.endsWith('_deleted') && typeof detail.name === 'string' ? html`<bdi>${detail.name}</bdi>` : html`<span class="quiet">${label}</span>`} <code>${id}</code>`;

export function eventDetailsView(detail: Record<string, unknown>, messages: Messages): Html[] {
  const { browser, system, with: methods, ...otherDetails } = detail;
  // Omit `with` if there is a `method`, which has the same information.
  const details = {
    ...otherDetails,
    ...(otherDetails.method === undefined && methods !== undefined && { with: methods }),
  };
  const device =
    (browser !== undefined || system !== undefined) &&
    describeDevice({ browser: optionalText(browser), system: optionalText(system) }, messages);
  const lines = Object.entries(details).flatMap(([name, value]) =>
    value === ''
      ? []
      : [html`${detailLabel(name, messages)} <bdi>${formatDetail(name, value, messages)}</bdi>`],
  );
  return [...lines, ...(device === false ? [] : [html`<bdi>${device}</bdi>`])].map(detailView);
}

const detailView = (line: Html): Html => html`<span class="detail">${line}</span> `;

const optionalText = (value: unknown): string | undefined =>
  value === undefined ? undefined : String(value);

const findLabel = (labels: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name] : undefined;

function detailLabel(name: string, { operations: text }: Messages): Html {
  const label = findLabel(text.details, name);
  return label === undefined
    ? html`<code>${name}</code>`
    : html`<span class="quiet">${text.detailLabel(label)}</span>`;
}

/** Details with a fixed set of values. Other details may contain any text. */
const ENUMERATED_DETAILS = ['allowedClients', 'changed', 'fields', 'item', 'notice', 'part'];

function formatDetail(name: string, value: unknown, messages: Messages): Renderable {
  const { operations: text } = messages;
  const raw = [value].flat().join(', ');
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (name === 'overlap' && typeof value === 'number') return text.duration(value);
  if (name === 'method' && isSignInMethod(raw)) return describeSignInMethod(raw, messages);
  if (name === 'until' && !Number.isNaN(Date.parse(raw))) return dateTime(new Date(raw), messages);
  if (name === 'type') return findLabel(text.types, raw) ?? raw;
  if (!ENUMERATED_DETAILS.includes(name)) return raw;
  return [value]
    .flat()
    .map((one) => findLabel(text.detailValues, String(one)) ?? eventLabel(String(one), messages))
    .join(', ');
}
