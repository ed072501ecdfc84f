// Who is signed in in this browser: the accounts of its live sessions, one of them active (ADR 12).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signOut } from '../accounts/sessions.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { findSessionsById, type Session } from '../store/sessions.ts';
import { keepSessions, noteSession, otherSessionIdsOf, sessionIdOf, sessionIdsOf } from './browser.ts';

export interface AccountHere extends Session {
  /** For the cookies and nowhere else. */
  id: string;
  /** Whether it is the one for which pages and applications are answered. */
  active: boolean;
}

/**
 * The accounts that are signed in in the browser of a request, the active one first. One statement for each session.
 * @param options.needsActive returns none, and doesn't look up the other sessions, if the active one isn't live
 */
export async function accountsHere(
  request: FastifyRequest,
  parts: Parts,
  { needsActive = false } = {},
): Promise<AccountHere[]> {
  const active = sessionIdOf(request);
  const find = (ids: readonly string[]) => findSessionsById(parts.database, ids, parts.now());
  let live = await find(sessionIdsOf(request).filter((id) => !needsActive || id === active));
  if (needsActive && live.size > 0) live = new Map([...live, ...(await find(otherSessionIdsOf(request)))]);
  const accounts: AccountHere[] = [];
  for (const [id, session] of live) {
    if (accounts.some(({ userId }) => userId === session.userId)) continue;
    accounts.push({ ...session, id, active: id === active });
  }
  const [first] = accounts;
  if (first?.active) noteSession(request, parts, first);
  return accounts;
}

/**
 * Signs accounts out, each with its line in the audit log; the others stay.
 * @returns the accounts that are left
 */
export async function endHere(
  reply: FastifyReply,
  parts: Parts,
  { accounts, ended }: { accounts: readonly AccountHere[]; ended: readonly AccountHere[] },
): Promise<AccountHere[]> {
  const address = addressOf(reply.request);
  for (const session of ended) await signOut(parts.database, session, address, parts.now());
  const left = accounts.filter((account) => !ended.includes(account));
  const others = left.filter(({ active }) => !active).map(({ id }) => id);
  if (ended.length > 0) keepSessions(reply, left.find(({ active }) => active)?.id, others);
  return left;
}
