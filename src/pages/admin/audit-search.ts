// Resolves a search term for the audit log to event kinds, IDs and IP addresses.
import { isIP } from 'node:net';
import { parseIncidentCode } from '../../http/incident-code.ts';
import { ipNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import { LOCALES, messagesFor } from '../../i18n/index.ts';
import type { EventSubject } from '../../store/audit-log.ts';
import { findEventSubjects } from '../../store/audit-search.ts';
import { type FoundIncident, findIncident } from '../../store/refusals.ts';

export interface EventSearch {
  subjects: readonly EventSubject[];
  /** Whether some matches are missing because there are too many. */
  capped: boolean;
  incident: (FoundIncident & { code: string }) | undefined;
}

export async function resolveEventSearch(
  { database, diagnostics }: Pick<Services, 'database' | 'diagnostics'>,
  text: string,
): Promise<EventSearch> {
  // The audit log contains only the network of an IPv6 address.
  if (isIP(text)) return { subjects: [{ ip: ipNetwork(text) }], capped: false, incident: undefined };
  const code = parseIncidentCode(text);
  // The incident may not be in the database yet.
  if (code !== undefined) await diagnostics.flush();
  const incident = code === undefined ? undefined : await findIncident(database, code);
  const { subjects, capped } = await findEventSubjects(database, text);
  return {
    subjects: [
      ...subjects,
      ...findMatchingKinds(text).map((kind) => ({ kind })),
      ...incidentSubjects(incident),
    ],
    capped,
    incident: code !== undefined && incident ? { ...incident, code } : undefined,
  };
}

function incidentSubjects(incident: FoundIncident | undefined): EventSubject[] {
  if (incident === undefined) return [];
  const { clientId, apiId } = incident;
  if (clientId !== null) return [{ clientId }];
  return apiId === null ? [] : [{ apiId }];
}

/** Shorter words match most event kinds. */
const MIN_WORD_LENGTH = 3;

const splitWords = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Each searched word must begin a word of the kind's name or label. */
function findMatchingKinds(text: string): string[] {
  const words = splitWords(text);
  if (!words.some(({ length }) => length >= MIN_WORD_LENGTH)) return [];
  const labels = LOCALES.map((locale) => messagesFor(locale).operations.events);
  return Object.keys(labels[0] ?? {}).filter((kind) =>
    [kind, ...labels.map((events) => events[kind as keyof typeof events])]
      .map(splitWords)
      .some((labelWords) => words.every((word) => labelWords.some((one) => one.startsWith(word)))),
  );
}
