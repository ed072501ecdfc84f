// Grants and revokes consent.

import { randomUUID } from 'node:crypto';
import { type ApiGrant, toConsentScopes } from '../oauth/api.ts';
import { type GrantedScope, removeOfflineAccess } from '../oauth/scopes.ts';
import { recordOwnEvent } from '../store/audit-log.ts';
import {
  type TestSignInConsent,
  undoTestSignInConsent,
  upsertConsent,
  withdrawConsent,
} from '../store/consents.ts';
import type { Database, Queryable } from '../store/database.ts';
import { runOnce, type SingleUseToken } from '../store/used-tokens.ts';
import { parseUserAgent } from './user-agent.ts';

export interface ConsentOrigin {
  ip: string;
  userAgent: string;
}

export interface Consent extends ConsentOrigin {
  userId: string;
  sid: string;
  clientId: string;
  granted: { scopes: readonly GrantedScope[]; apis: readonly ApiGrant[] };
}

export const listConsentElements = ({ scopes, apis }: Consent['granted']): string[] => [
  ...removeOfflineAccess(scopes),
  ...toConsentScopes(apis),
];

export function giveConsent(
  transaction: Queryable,
  { granted, ip, userAgent, ...consent }: Consent,
  now: Date,
): ReturnType<typeof upsertConsent> {
  const scopes = [
    ...removeOfflineAccess(granted.scopes),
    ...granted.apis.flatMap(({ identifier, scopes: names }) =>
      names.length === 0 ? [identifier] : names.map((name) => `${name} (${identifier})`),
    ),
  ];
  const { browser, system } = parseUserAgent(userAgent);
  const detail = { scopes, ...(browser && { browser }), ...(system && { system }) };
  return upsertConsent(
    transaction,
    { ...consent, scopes: listConsentElements(granted) },
    { ip, detail },
    now,
  );
}

export interface ConsentResult {
  grantId: string;
  /** Sum of the client and consent epochs. Incrementing either epoch revokes the grant. */
  epoch: number;
  granted: string[];
  /** The previously granted elements, or null for a first consent. */
  before: string[] | null;
}

/**
 * Grants consent, at most once per form. Resubmitting the form doesn't restore a revoked consent.
 * @param notifyOwner runs in the same transaction
 * @returns undefined if the client, account or session no longer exists. `isRepeat` means that the form was
 *   resubmitted.
 */
export const submitConsent = (
  database: Database,
  consent: Consent & { token: SingleUseToken },
  now: Date,
  notifyOwner: (transaction: Queryable, before: ConsentResult['before']) => Promise<void>,
): Promise<(ConsentResult & { at: Date; isRepeat: boolean }) | undefined> =>
  database.transaction(async (transaction) => {
    const { at, isRepeat, result } = await runOnce(
      transaction,
      consent.token,
      now,
      async (): Promise<ConsentResult | null> => {
        const stored = await giveConsent(transaction, consent, now);
        if (stored === undefined) return null;
        await notifyOwner(transaction, stored.before);
        const granted = listConsentElements(consent.granted);
        return { grantId: randomUUID(), granted, ...stored };
      },
    );
    return result ? { ...result, at, isRepeat } : undefined;
  });

/** Revokes a consent, and the codes and tokens issued under it. Returns false if there was no consent. */
export const revokeConsent = (
  database: Database,
  { userId, clientId, ip }: { userId: string; clientId: string; ip: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const withdrawn = await withdrawConsent(transaction, userId, clientId, now);
    if (withdrawn)
      await recordOwnEvent(transaction, { kind: 'consent_withdrawn', userId, clientId, ip }, now);
    return withdrawn;
  });

export const revokeTestSignInConsent = (
  database: Database,
  { ip, ...testSignIn }: TestSignInConsent & { ip: string },
  now: Date,
): Promise<void> =>
  database.transaction(async (transaction) => {
    const { userId, clientId } = testSignIn;
    if (await undoTestSignInConsent(transaction, testSignIn, now))
      await recordOwnEvent(transaction, { kind: 'consent_withdrawn', userId, clientId, ip }, now);
  });
