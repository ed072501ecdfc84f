// Owns the look of events of the audit log, wherever some are shown.

import type { Messages } from '../../i18n/index.ts';
import type { EventRow } from '../../store/events.ts';
import { type Html, html } from '../../web/html/html.ts';
import { briefExactMoment } from '../../web/html/time.ts';
import { eventDetails, eventWords, wordOf } from './event-details-view.ts';
import { AUDIT, addressWith, clientLink, ip, OPERATIONS, recordsTable } from './frame-view.ts';

/** The words for a kind, or the kind itself where a newer version wrote one that this one does not know. */
const wordsFor = (kind: string, messages: Messages): string => wordOf(kind, eventWords(messages));

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
