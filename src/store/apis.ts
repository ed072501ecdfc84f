// APIs that account holders own.
import { type Admission, type ApiScope, identifierKey } from '../oauth/api.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** What registration supplies. */
export interface NewApi {
  apiId: string;
  ownerId: string;
  identifier: string;
  name: string;
  /** What it is, in both languages. */
  wordsFr: string;
  wordsEn: string;
  scopes: ApiScope[];
  /** Seconds. */
  tokenLifetime: number;
  admits: Admission;
}

const INSERT = statement(
  'insert_api',
  `insert into apis (api_id, owner_id, identifier, identifier_key, name, words_fr, words_en, scopes, token_lifetime,
    admits, created_at)
  values ($1::text, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::jsonb, $9::int, $10::text,
    $11::timestamptz)
  on conflict (identifier_key) do nothing returning 1 as one`,
);

/** Registers an API. False when its identifier is taken: it is of one account alone (D45). */
export async function insertApi(database: Queryable, api: NewApi, now: Date): Promise<boolean> {
  const rows = await database.query(INSERT, [
    api.apiId,
    api.ownerId,
    api.identifier,
    identifierKey(api.identifier),
    api.name,
    api.wordsFr,
    api.wordsEn,
    JSON.stringify(api.scopes),
    api.tokenLifetime,
    api.admits,
    now,
  ]);
  return rows.length === 1;
}
