// Holds up what is done to rows or a table, so that a test decides when, and in which order, it happens.
import pg from 'pg';
import type { CodeTicket } from '../../src/oauth/tickets.ts';
import type { TokenKind } from '../../src/store/one-time-tokens.ts';
import { until } from './until.ts';

export interface Lock {
  /** Waits until so many connections are held up by it, or by one that is. */
  heldUp(connections: number): Promise<void>;
  /** Lets all of them go on, in the order in which they came. May be called repeatedly. */
  release(): Promise<void>;
}

/** Makes what runs a statement in a transaction that stays open. */
const holding =
  (text: string) =>
  async (databaseUrl: string, ...values: unknown[]): Promise<Lock> => {
    const holder = await connect(databaseUrl);
    await holder.query('begin');
    await holder.query(text, values);
    return lockOf(databaseUrl, holder);
  };

/** Locks the rows of all grants that an application has now. */
export const lockGrants = holding('select from grants where client_id = $1 for update');
/** Locks an application or an API against being changed. */
export const lockApplication = holding('select from clients where client_id = $1 for no key update');
export const lockApi = holding('select from apis where api_id = $1 for no key update');
/** Locks the sessions of an account, as ending them does. */
export const lockSessions = holding('select from sessions where user_id = $1 for update');
/** Locks a passkey against being used or removed. @param id as browsers say it */
export const lockPasskey = (databaseUrl: string, id: string): Promise<Lock> =>
  holding('select from passkeys where credential_id = $1 for update')(
    databaseUrl,
    Buffer.from(id, 'base64url'),
  );
/** Locks an account, or its recovery codes, against being changed. */
export const lockUser = holding('select from users where id = $1 for no key update');
export const lockRecoveryCodes = holding('select from recovery_codes where user_id = $1 for update');
export const lockMailedLinks = holding('select from one_time_tokens where user_id = $1 for update');
/** Locks a whole table, against reading too. */
export const lockTable = (databaseUrl: string, table: string): Promise<Lock> =>
  holding(`lock table ${pg.escapeIdentifier(table)} in access exclusive mode`)(databaseUrl);

/** Takes the place of the grant that a code becomes, without keeping it: whoever redeems the code waits. */
export const lockCode = (
  databaseUrl: string,
  { grantId, userId, clientId }: Pick<CodeTicket, 'grantId' | 'userId' | 'clientId'>,
): Promise<Lock> =>
  holding(
    `insert into grants (id, client_id, user_id, epoch, generation, created_at, advanced_at)
     values ($1, $2, $3, 0, 1, now(), now())`,
  )(databaseUrl, grantId, clientId, userId);

const HELD_UP = `
  with recursive held(pid) as (
    select $1::int
    union
    select a.pid from held h join pg_stat_activity a on h.pid = any(pg_blocking_pids(a.pid))
  )
  select count(*)::int - 1 as waiting from held`;

const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and $1::int is null`;

/**
 * Waits until so many connections wait for locks that others hold.
 * @param holder the process of the database that they wait for, or for one that waits for it; any when absent
 */
export async function heldUp(databaseUrl: string, connections = 1, holder?: number): Promise<void> {
  // In a transaction the view of activity stands still: it is looked at from outside.
  const watcher = await connect(databaseUrl);
  try {
    await until(`${connections} connections to wait for a lock`, async () => {
      const { rows } = await watcher.query(holder === undefined ? WAITING : HELD_UP, [holder ?? null]);
      return rows[0].waiting >= connections;
    });
  } finally {
    await watcher.end();
  }
}

function lockOf(databaseUrl: string, holder: pg.Client): Lock {
  const { processID } = holder as unknown as { processID: number };
  return {
    heldUp: (connections) => heldUp(databaseUrl, connections, processID),
    release: () => holder.end(), // ends the transaction, too
  };
}

/** Access tokens of an application that userinfo would still accept, as the database has them. */
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
  client.on('error', () => {}); // the database may go away while the lock is held
  await client.connect();
  return client;
}

/** Holds up every use of a mailed link or code of a kind, between using it up and what it is for. */
export async function lockAfterUse(databaseUrl: string, kind: TokenKind): Promise<Lock> {
  const holder = await connect(databaseUrl);
  // Once only: it would wait for whatever is held up already.
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
  return lockOf(databaseUrl, holder);
}
