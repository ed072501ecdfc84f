// Owns the look of events of the audit log, wherever some are shown.
import type { Messages } from '../../i18n/index.ts';
import type { SecurityNotice } from '../../mail/letter.ts';
import type { Admission } from '../../oauth/api.ts';
import { isWay } from '../../oauth/sign-in-way.ts';
import type { AddedKind } from '../../store/added-since.ts';
import type { ApplicationSettings } from '../../store/applications.ts';
import type { EventKind, EventRow } from '../../store/events.ts';
import type { ApiSettings } from '../../store/own-apis.ts';
import type { Profile } from '../../store/users.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { deviceInWords, wayInWords } from '../../web/html/sign-in-words.ts';
import { briefExactMoment, briefMoment } from '../../web/html/time.ts';
import { AUDIT, addressWith, clientLink, ip, OPERATIONS, recordsTable } from './frame-view.ts';

/** The words for a kind, or the kind itself where a newer version wrote one that this one does not know. */
export const wordsFor = (kind: string, messages: Messages): string =>
  wordOf(kind, messages.operations.events);

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

/** The word for one of the code; itself where a newer version wrote one that this one does not know. */
const wordOf = (one: string, words: Record<string, string>): string =>
  Object.hasOwn(words, one) ? (words[one] ?? one) : one;

/** The words for what is no kind of event: one without words is a type error here. */
const codeWords = ({
  operations,
}: Messages): Record<AddedKind | Exclude<SecurityNotice, EventKind>, string> => operations.detailValues;

const fieldWords = ({
  operations,
}: Messages): Record<
  keyof ApplicationSettings | keyof ApiSettings | keyof Profile | 'logo' | 'protocol',
  string
> => operations.detailFields;

/** What stands behind the word for a detail, or by itself where none is needed. */
const OF_OTHERS: Record<string, (text: string, messages: Messages) => Renderable> = {
  email: (text) => html`<span class="line">${text}</span>`,
  until: (text, messages) => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? text : briefMoment(at, messages);
  },
};

const BY_ITSELF: Record<string, (words: string[], messages: Messages) => string> = {
  notice: inCode,
  item: inCode,
  fields: inFields,
  changed: inFields,
  part: inFields,
  admits: ([who = ''], { operations }) =>
    wordOf(who, operations.detailAdmits satisfies Record<Admission, string>),
  type: ([type = ''], { operations }) => wordOf(type, operations.types),
  way: ([way = ''], messages) => (isWay(way) ? wayInWords(way, messages) : way),
};

function inCode([one = '']: string[], messages: Messages): string {
  return wordOf(one, { ...messages.operations.events, ...codeWords(messages) });
}

function inFields(names: string[], messages: Messages): string {
  return names.map((name) => wordOf(name, fieldWords(messages))).join(', ');
}

export function eventDetails(detail: Record<string, unknown>, messages: Messages): Html[] {
  const { way, browser, system, with: methods, overlap, ...rest } = detail;
  const shown = {
    ...rest,
    // The first secret takes the place of none.
    ...(overlap !== undefined && rest.number !== 1 && { overlap }),
    // Of what was shown, the way in is the name.
    ...(way === undefined ? methods !== undefined && { with: methods } : { way }),
  };
  const device =
    (browser !== undefined || system !== undefined) &&
    deviceInWords({ browser: textOf(browser), system: textOf(system) }, messages);
  return [
    ...Object.entries(shown).flatMap(([name, value]) => {
      const said = saidOf(name, value, messages);
      return said === '' ? [] : [line(said)];
    }),
    ...(device === false ? [] : [line(html`<bdi>${device}</bdi>`)]),
  ];
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

const line = (words: Renderable): Html => html`<span class="detail">${words}</span> `;

/** Nothing where it goes without saying. */
function saidOf(name: string, value: unknown, messages: Messages): Renderable {
  const { details, detailCounts, detailFacts } = messages.operations;
  if (typeof value === 'number' && Object.hasOwn(detailCounts, name))
    return detailCounts[name as keyof typeof detailCounts](value);
  if (typeof value === 'boolean' && Object.hasOwn(detailFacts, name)) {
    const said: { yes: string; no?: string } = detailFacts[name as keyof typeof detailFacts];
    return (value ? said.yes : said.no) ?? '';
  }
  const words = (Array.isArray(value) ? value : [value]).map(String);
  const alone = BY_ITSELF[name];
  if (alone !== undefined) return html`<bdi>${alone(words, messages)}</bdi>`;
  const text = words.join(', ');
  return html`<span class="quiet">${wordOf(name, details)}</span> <bdi>${OF_OTHERS[name]?.(text, messages) ?? text}</bdi>`;
}
