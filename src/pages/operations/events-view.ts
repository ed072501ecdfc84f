// Owns the look of events of the audit log, wherever some are shown.

import type { Disowning } from '../../credentials/disown.ts';
import type { Messages } from '../../i18n/index.ts';
import type { SecurityNotice } from '../../mail/letter.ts';
import type { EventKind, EventRow } from '../../store/events.ts';
import type { ChangeKind } from '../../store/session-changes.ts';
import { type Html, html } from '../../web/html/html.ts';
import { emailInColumn } from '../../web/html/line-ends.ts';
import { exactMoment, moment } from '../../web/html/time.ts';
import { AUDIT, addressWith, clientLink, ip, OPERATIONS, recordsTable } from './frame-view.ts';

/** The words for every kind: one without words is a type error here. */
export const eventWords = ({ operations }: Messages): Record<EventKind, string> => operations.events;

/** The words for a kind, or the kind itself where a newer version wrote one that this one does not know. */
const wordsFor = (kind: string, messages: Messages): string => wordOf(kind, eventWords(messages));

const wordOf = (one: string, words: Record<string, string>): string =>
  Object.hasOwn(words, one) ? (words[one] ?? one) : one;

/** Events, latest first. */
export function eventTable(events: readonly EventRow[], messages: Messages, caption: string): Html {
  const text = messages.operations;
  return recordsTable({
    caption,
    headings: [text.when, text.what, text.who, text.whom, text.whence, text.more],
    rows: events.map((event) => [
      exactMoment(event.at, messages),
      html`<strong>${wordsFor(event.kind, messages)}</strong>`,
      account(event.actorId, event.actorEmail, messages) ?? html`<span class="quiet">${text.nobody}</span>`,
      concerned(event, messages),
      event.address === null ? html`<span class="quiet">${text.noAddress}</span>` : ip(event.address),
      details(event.detail, messages),
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
    : html`<a href="${OPERATIONS}/accounts/${id}">${emailInColumn(email)}</a>`;
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

function details(detail: Record<string, unknown>, messages: Messages): Html[] {
  const words: Record<string, string> = messages.operations.details;
  return Object.entries(detail).map(([name, value]) => {
    return html`<span class="detail"><span class="quiet">${wordOf(name, words)}</span> <bdi>${saidOf(name, value, messages)}</bdi></span> `;
  });
}

/** The details that hold words of the code. */
const IN_CODE = new Set(['notice', 'ended', 'change']);

/** The words for those that are no kinds of events: one without words is a type error here. */
const detailWords = ({
  operations,
}: Messages): Record<ChangeKind | Disowning | Exclude<SecurityNotice, EventKind>, string> =>
  operations.detailValues;

function saidOf(name: string, value: unknown, messages: Messages): Html | string {
  const { yes, no } = messages.operations;
  if (typeof value === 'boolean') return value ? yes : no;
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  if (IN_CODE.has(name)) return wordOf(text, { ...eventWords(messages), ...detailWords(messages) });
  if (name === 'email') return emailInColumn(text);
  const at = new Date(name === 'until' ? text : Number.NaN);
  return Number.isNaN(at.getTime()) ? text : moment(at, messages);
}
