// Locks rows and tables to control the order of concurrent operations.
import pg from 'pg';
import type { CodePayload } from '../../src/oauth/token-payload.ts';
import type { TokenKind } from '../../src/store/one-time-tokens.ts';
import { waitUntil } from './wait-until.ts';

export interface Lock {
  waitForBlocked(connections: number): Promise<void>;
  release(): Promise<void>;
}

const defineLock =
  (text: string) =>
  async (databaseUrl: string, ...values: unknown[]): Promise<Lock> => {
    const holder = await connect(databaseUrl);
    await holder.query('begin');
    await holder.query(text, values);
    return createLock(databaseUrl, holder);
  };

export const lockGrants = defineLock('select from grants where client_id = $1 for update');
export const lockClient = defineLock('select from clients where client_id = $1 for no key update');
export const lockApi = defineLock('select from apis where api_id = $1 for no key update');
/** Uses the same lock mode as a DELETE. */
export const lockSessions = defineLock('select from sessions where user_id = $1 for update');
export const lockSession = defineLock('select from sessions where sid = $1 for update');
/** @param id credential ID in base64url */
export const lockPasskey = (databaseUrl: string, id: string): Promise<Lock> =>
  defineLock('select from passkeys where credential_id = $1 for update')(
    databaseUrl,
    Buffer.from(id, 'base64url'),
  );
export const lockUser = defineLock('select from users where id = $1 for no key update');
export const lockProvider = defineLock('select from identity_providers where provider_id = $1 for update');
export const lockIdentities = defineLock('select from external_identities where user_id = $1 for update');
export const lockRecoveryCodes = defineLock('select from recovery_codes where user_id = $1 for update');
export const lockOneTimeTokens = defineLock('select from one_time_tokens where user_id = $1 for update');
export const lockTable = (databaseUrl: string, table: string): Promise<Lock> =>
  defineLock(`lock table ${pg.escapeIdentifier(table)} in access exclusive mode`)(databaseUrl);

export const lockCode = (
  databaseUrl: string,
  { grantId, userId, clientId }: Pick<CodePayload, 'grantId' | 'userId' | 'clientId'>,
): Promise<Lock> =>
  defineLock(
    `insert into grants (id, client_id, user_id, epoch, rotation, created_at, rotated_at)
     values ($1, $2, $3, 0, 1, now(), now())`,
  )(databaseUrl, grantId, clientId, userId);

const COUNT_BLOCKED_BY = `
  with recursive blocked(pid) as (
    select $1::int
    union
    select a.pid from blocked h join pg_stat_activity a on h.pid = any(pg_blocking_pids(a.pid))
  )
  select count(*)::int - 1 as waiting from blocked`;

const COUNT_BLOCKED = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and $1::int is null`;

/** @param holder PID of the lock's owner, by default any */
export async function waitForBlocked(databaseUrl: string, connections = 1, holder?: number): Promise<void> {
  // Use a separate connection because pg_stat_activity doesn't change within a transaction.
  const watcher = await connect(databaseUrl);
  try {
    await waitUntil(`${connections} connections to wait for a lock`, async () => {
      const { rows } = await watcher.query(holder === undefined ? COUNT_BLOCKED : COUNT_BLOCKED_BY, [
        holder ?? null,
      ]);
      return rows[0].waiting >= connections;
    });
  } finally {
    await watcher.end();
  }
}

function createLock(databaseUrl: string, holder: pg.Client): Lock {
  const { processID } = holder as unknown as { processID: number };
  return {
    waitForBlocked: (connections) => waitForBlocked(databaseUrl, connections, processID),
    release: () => holder.end(),
  };
}

export async function countLiveAccessTokens(databaseUrl: string, clientId: string): Promise<number> {
  const client = await connect(databaseUrl);
  const { rows } = await client.query(
    `select count(*)::int as live from access_tokens t join grants g on g.id = t.grant_id
     where g.client_id = $1 and g.revoked_at is null`,
    [clientId],
  );
  await client.end();
  return rows[0].live;
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // PostgreSQL may stop while the lock is held
  await client.connect();
  return client;
}

/** Blocks transactions after they have used a one-time token. */
export async function blockAfterTokenUse(databaseUrl: string, kind: TokenKind): Promise<Lock> {
  const holder = await connect(databaseUrl);
  // Created once because `create trigger` would wait for blocked transactions.
  const { rowCount } = await holder.query("select from pg_trigger where tgname = 'wait_after_use'");
  if (rowCount === 0)
    await holder.query(
      `create function wait_after_use() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock(hashtext(new.kind)); return new; end $$;
       create trigger wait_after_use after update of used_at on one_time_tokens for each row
       execute function wait_after_use()`,
    );
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock(hashtext($1))', [kind]);
  return createLock(databaseUrl, holder);
}
