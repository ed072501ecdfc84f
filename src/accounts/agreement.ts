// Gives and withdraws consent.

import { type ApiGrant, consentElements } from '../oauth/api.ts';
import { usedFormDigest } from '../oauth/digests.ts';
import { PENDING_REQUEST } from '../oauth/lifetimes.ts';
import { dataScopes, type GrantedScope } from '../oauth/scopes.ts';
import { findConsentedScopes, rememberConsent, withdrawConsent } from '../store/consents.ts';
import type { Database, Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { holdSession } from '../store/session-locks.ts';
import { answerForm, type FormAnswer, findFormAnswer, useForm } from '../store/used-forms.ts';
import { readDevice } from './browser-name.ts';

export interface Consent {
  userId: string;
  clientId: string;
  granted: { scopes: readonly GrantedScope[]; apis: readonly ApiGrant[] };
  address: string;
  userAgent: string;
}

/** What was granted, spelled as consents spell it. */
export const elementsOf = ({ scopes, apis }: Consent['granted']): string[] => [
  ...dataScopes(scopes),
  ...consentElements(apis),
];

/**
 * Remembers a consent, and records it in the audit log.
 * @returns the epoch of consent and client, and what the person had consented to before (null: nothing); undefined when the
 *   account or the client is gone
 */
export async function giveConsent(
  transaction: Queryable,
  { userId, clientId, granted, address, userAgent }: Consent,
  now: Date,
): Promise<{ epoch: number; before: string[] | null } | undefined> {
  const before = await findConsentedScopes(transaction, userId, clientId);
  const epoch = await rememberConsent(transaction, { userId, clientId, scopes: elementsOf(granted), now });
  if (epoch === undefined) return undefined;
  const scopes = [
    ...dataScopes(granted.scopes),
    ...granted.apis.flatMap(({ identifier, scopes: names }) =>
      names.length === 0 ? [identifier] : names.map((name) => `${name} (${identifier})`),
    ),
  ];
  const { browser, system } = readDevice(userAgent);
  const detail = { scopes, ...(browser && { browser }), ...(system && { system }) };
  await recordEvent(
    transaction,
    { kind: 'consent_given', actorId: userId, userId, clientId, address, detail },
    now,
  );
  return { epoch, before };
}

/**
 * Gives consent with the form that the person decided on. A form that was sent before changes nothing: a consent that was
 * withdrawn since stays withdrawn.
 * @param agreement `grantId` is the form's own; `startedAt` in milliseconds since 1970
 * @returns what the form is answered with, and whether it was answered before; undefined when the client, the account or
 *   the session is gone
 */
export async function agree(
  database: Database,
  agreement: Consent & { grantId: string; startedAt: number; sid: string },
  now: Date,
): Promise<(FormAnswer & { again: boolean; before: string[] | null }) | undefined> {
  const { grantId, startedAt, ...consent } = agreement;
  const key = usedFormDigest('consent', grantId);
  const granted = JSON.stringify(elementsOf(consent.granted));
  // The form can come for as long as its request is pending; the clocks of two hosts differ by less than that again.
  const until = new Date(startedAt + 2 * PENDING_REQUEST * 1000);
  const first = await database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, agreement, now))) return undefined;
    // Another one at the same time waits here for the end of this transaction.
    if (!(await useForm(transaction, key, until))) return 'again';
    const given = await giveConsent(transaction, consent, now);
    if (given === undefined) return undefined;
    const { epoch, before } = given;
    await answerForm(transaction, key, { answeredAt: now, epoch, granted });
    return { answeredAt: now, epoch, granted, before };
  });
  if (first !== 'again') return first && { ...first, again: false };
  const answer = await findFormAnswer(database, key);
  return answer && { ...answer, again: true, before: null };
}

/** Withdraws a consent: every code and token between the two dies at once (D28). False when there was none. */
export const withdraw = (
  database: Database,
  { userId, clientId, address }: { userId: string; clientId: string; address: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const withdrawn = await withdrawConsent(transaction, userId, clientId, now);
    if (withdrawn)
      await recordEvent(
        transaction,
        { kind: 'consent_withdrawn', actorId: userId, userId, clientId, address },
        now,
      );
    return withdrawn;
  });
