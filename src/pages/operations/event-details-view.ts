// Owns how the details of an event are said: as a person would, a line each.

import type { Messages } from '../../i18n/index.ts';
import type { SecurityNotice } from '../../mail/letter.ts';
import type { Admission } from '../../oauth/api.ts';
import { isWay } from '../../oauth/sign-in-way.ts';
import type { AddedKind } from '../../store/added-since.ts';
import type { ApplicationSettings } from '../../store/applications.ts';
import type { EventKind } from '../../store/events.ts';
import type { ApiSettings } from '../../store/own-apis.ts';
import type { Profile } from '../../store/users.ts';
import { deviceInWords } from '../../web/html/device.ts';
import { type Html, html, type Renderable } from '../../web/html/html.ts';
import { wayInWords } from '../../web/html/sign-in-way.ts';
import { briefMoment } from '../../web/html/time.ts';

/** The words for every kind: one without words is a type error here. */
export const eventWords = ({ operations }: Messages): Record<EventKind, string> => operations.events;

/** The word for one of the code; itself where a newer version wrote one that this one does not know. */
export const wordOf = (one: string, words: Record<string, string>): string =>
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
  return wordOf(one, { ...eventWords(messages), ...codeWords(messages) });
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
