// Events of the audit log on pages.
import type { Messages } from '../../i18n/index.ts';
import { isWay } from '../../oauth/sign-in-way.ts';
import type { EventKind, EventRow } from '../../store/events.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { deviceInWords, wayInWords } from '../../web/html/sign-in-words.ts';
import { briefExactMoment, briefMoment } from '../../web/html/time.ts';
import { AUDIT, addressWith, clientLink, ip, OPERATIONS, recordsTable } from './frame-view.ts';

/** The words for a kind, or the kind itself where a newer version wrote one that this one does not know. */
export const wordsFor = (kind: string, { operations: { events } }: Messages): string =>
  Object.hasOwn(events, kind) ? events[kind as EventKind] : kind;

/** Events, latest first. */
export function eventTable(events: readonly EventRow[], messages: Messages, caption: string): Html {
  const text = messages.operations;
  return recordsTable({
    caption,
    headings: [text.when, text.what, text.who, text.whom, text.whence, text.more],
    rows: events.map((event) => [
      briefExactMoment(event.at, messages),
      html`<strong>${wordsFor(event.kind, messages)}</strong>`,
      account(event.actorId, event.actorEmail, messages) ?? html`<span class="quiet">${text.nobody}</span>`,
      concerned(event, messages),
      event.address === null ? html`<span class="quiet">${text.noAddress}</span>` : ip(event.address),
      eventDetails(event.detail, messages),
    ]),
  });
}

/** The latest events about one of what is looked after, and the way to all of them where there are any. */
export function eventsAbout(
  about: Partial<Record<'account' | 'client_id' | 'api_id', string>>,
  events: readonly EventRow[],
  messages: Messages,
): Html {
  const { operations: text } = messages;
  return html`<h2>${text.recentEvents}</h2>
${
  events.length === 0
    ? html`<p class="quiet">${text.noEvent}</p>`
    : html`${eventTable(events, messages, text.recentEvents)}
<p class="paging"><a class="reachable" href="${addressWith(AUDIT, about)}">${text.eventsAbout}</a></p>`
}`;
}

/** Whom and what it was done to; whoever did it to themselves is named already. */
function concerned(event: EventRow, messages: Messages): Html[] {
  const { userId, userEmail, actorId } = event;
  const person = userId === actorId ? undefined : account(userId, userEmail, messages);
  return [person, application(event, messages), api(event, messages)].flatMap((one) =>
    one === undefined ? [] : [html`${one} `],
  );
}

function account(id: string | null, email: string | null, { operations }: Messages): Html | undefined {
  if (id === null) return undefined;
  return email === null
    ? html`<span class="quiet">${operations.goneAccount}</span> <code>${id}</code>`
    : html`<a href="${OPERATIONS}/accounts/${id}">${email}</a>`;
}

function application({ clientId, clientName }: EventRow, messages: Messages): Html | undefined {
  if (clientId === null) return undefined;
  return clientName === null
    ? html`<span class="quiet">${messages.operations.goneApplication}</span> <code>${clientId}</code>`
    : clientLink({ clientId, name: clientName }, messages);
}

function api({ apiId, apiName }: EventRow, { operations }: Messages): Html | undefined {
  if (apiId === null) return undefined;
  return apiName === null
    ? html`<span class="quiet">${operations.goneApi}</span> <code>${apiId}</code>`
    : html`<a href="${OPERATIONS}/apis/${apiId}"><bdi>${apiName}</bdi></a>`;
}

/** Each detail under its name in the log, and the browser at the end. */
export function eventDetails(detail: Record<string, unknown>, messages: Messages): Html[] {
  const { browser, system, with: methods, ...others } = detail;
  // The way in names the methods.
  const rest = { ...others, ...(others.way === undefined && methods !== undefined && { with: methods }) };
  const device =
    (browser !== undefined || system !== undefined) &&
    deviceInWords({ browser: textOf(browser), system: textOf(system) }, messages);
  const lines = Object.entries(rest).map(
    ([name, value]) => html`<code>${name}</code> <bdi>${inWords(name, value, messages)}</bdi>`,
  );
  return [...lines, ...(device === false ? [] : [html`<bdi>${device}</bdi>`])].map(
    (line) => html`<span class="detail">${line}</span> `,
  );
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

function inWords(name: string, value: unknown, messages: Messages): Renderable {
  const text = [value].flat().join(', ');
  if (name === 'overlap' && typeof value === 'number') return messages.operations.duration(value);
  if (name === 'way' && isWay(text)) return wayInWords(text, messages);
  if (name === 'until' && !Number.isNaN(Date.parse(text))) return briefMoment(new Date(text), messages);
  return text;
}
