// Undoing what a session added or changed, latest first; what cannot be put back as it was is held (D61).
import { type ApplicationSettings, changeOwnApplication, lockOwnApplication } from '../store/applications.ts';
import type { Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { endOwnSecret } from '../store/own-secrets.ts';
import {
  changeProtocolSettings,
  findProtocolSettings,
  type ProtocolSettings,
} from '../store/protocol-settings.ts';
import { endTokensOfApplication, holdApplication, restoreConsent, restoreLogo } from '../store/restoring.ts';
import { type ChangeKind, forgetChanges, type SessionChange } from '../store/session-changes.ts';

/** What came of a change: it is as it was before, or the application is suspended until somebody has looked at it. */
export interface Undone {
  kind: SessionChange['kind'];
  name: string;
  held: boolean;
}

type Difference<Settings> = { before: Partial<Settings>; after: Partial<Settings> };

/** What differs between two versions of the same settings; undefined when nothing does. */
export function differenceOf<Settings extends object>(
  before: Settings,
  after: Settings,
): Difference<Settings> | undefined {
  const names = (Object.keys(after) as (keyof Settings)[]).filter((name) => !same(before[name], after[name]));
  if (names.length === 0) return undefined;
  const only = (settings: Settings) =>
    Object.fromEntries(names.map((name) => [name, settings[name]])) as Partial<Settings>;
  return { before: only(before), after: only(after) };
}

/**
 * Takes a change out of settings that may have changed again since: of lists and keys what it added goes and what it
 * took away comes back; anything else is put back if it is still what the change made of it.
 */
export function reverted<Settings extends object>(
  current: Settings,
  { before, after }: Difference<Settings>,
): Settings {
  const settings: Record<string, unknown> = Object.fromEntries(Object.entries(current));
  for (const [name, former] of Object.entries(before)) {
    const made = (after as Record<string, unknown>)[name];
    const [now, was, became] = [settings[name], former, made].map(entriesOf);
    if (now === undefined || was === undefined || became === undefined) {
      if (same(settings[name], made)) settings[name] = former;
      continue;
    }
    const left = now.filter((entry) => has(was, entry) || !has(became, entry));
    const back = was.filter((entry) => !has(became, entry) && !has(left, entry));
    const entries = [...left, ...back];
    const isList = Array.isArray(former) || Array.isArray(made);
    settings[name] = isList ? entries : entries.length === 0 ? null : { keys: entries };
  }
  return settings as Settings;
}

/** The entries of a list, or the keys of a JWK Set, of which null is the empty one. */
function entriesOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  return typeof value === 'object' && Array.isArray((value as { keys?: unknown }).keys)
    ? (value as { keys: unknown[] }).keys
    : undefined;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const has = (entries: readonly unknown[], one: unknown) => entries.some((entry) => same(entry, one));

const HELD = ['registered', 'received', 'given', 'released'] as const;

/** Whether a change cannot be put back as it was: the application is held until somebody has looked at it. */
export const isHeld = (kind: ChangeKind): kind is (typeof HELD)[number] =>
  (HELD as readonly ChangeKind[]).includes(kind);

/**
 * Undoes changes, each with its line in the audit log, and forgets them.
 * @param changes latest first, as the account's sessions made them
 */
export async function undoChanges(
  transaction: Queryable,
  { userId, address }: { userId: string; address: string | undefined },
  changes: readonly SessionChange[],
  now: Date,
): Promise<Undone[]> {
  const undone: Undone[] = [];
  for (const change of changes) {
    const { kind, clientId, name } = change;
    const outcome = await undo(transaction, userId, change, now);
    if (letIn(change)) await endTokensOfApplication(transaction, userId, clientId);
    if (outcome === undefined) continue;
    undone.push({ kind, name: name ?? clientId, held: outcome === 'held' });
    const event = { kind: 'change_undone', userId, clientId, address } as const;
    await recordEvent(transaction, { ...event, detail: { change: kind, held: outcome === 'held' } }, now);
  }
  await forgetChanges(
    transaction,
    userId,
    changes.map(({ id }) => id),
  );
  return undone;
}

/**
 * Whether a change let somebody in to be the application, or receive its codes: a secret, a key, a callback URL. What
 * they were given meanwhile, of whoever signed in, does not end with it.
 */
function letIn({ kind, detail }: SessionChange): boolean {
  if (kind === 'secret') return true;
  if (kind !== 'settings' && kind !== 'protocol') return false;
  const { before, after } = detail as unknown as Difference<Record<string, unknown>>;
  return ['redirectUris', 'jwks'].some((name) => {
    const was = entriesOf(before[name]) ?? [];
    return entriesOf(after[name])?.some((entry) => !has(was, entry)) === true;
  });
}

/** @returns undefined when there is nothing to undo any more */
async function undo(
  transaction: Queryable,
  userId: string,
  { kind, clientId, detail }: SessionChange,
  now: Date,
): Promise<'undone' | 'held' | undefined> {
  const done = (yes: boolean, as: 'undone' | 'held' = 'undone') => (yes ? as : undefined);
  if (isHeld(kind)) return done(await holdApplication(transaction, userId, clientId, now), 'held');
  switch (kind) {
    case 'secret':
      return done(await endOwnSecret(transaction, userId, clientId, Number(detail.number), now));
    case 'consent':
      return done(await restoreConsent(transaction, userId, clientId, detail.before as string[] | null, now));
    case 'logo':
      return done(await restoreLogo(transaction, userId, clientId, detail as { before: null; after: null }));
    case 'settings': {
      const present = await lockOwnApplication(transaction, userId, clientId);
      if (present === undefined) return undefined;
      const difference = detail as unknown as Difference<ApplicationSettings>;
      await changeOwnApplication(transaction, userId, clientId, reverted(present, difference));
      return 'undone';
    }
    case 'protocol': {
      const present = await findProtocolSettings(transaction, userId, clientId);
      if (present === undefined) return undefined;
      const settings = reverted(present, detail as unknown as Difference<ProtocolSettings>);
      return done(await changeProtocolSettings(transaction, userId, clientId, settings));
    }
  }
}
