// Reads clients from a Keycloak realm export or a JSONL file.
import type { z } from 'zod';
import { type ClientRecord, clientRecordSchema } from './client-record.ts';
import { openInputFile } from './input-file.ts';
import { readMembers } from './json-members.ts';
import { findRealmFiles, MAX_MEMBER_SIZE } from './keycloak.ts';
import { convertKeycloakClient, keycloakClientSchema } from './keycloak-clients.ts';
import { readJsonLines } from './lines.ts';
import { formatRemark } from './row-remark.ts';
import { UnreadableFileError } from './source.ts';

export type ParsedClient =
  | { record: ClientRecord; notes: readonly string[] }
  | { clientId: string; verdict: 'skipped' | 'refused'; reason: string };

export interface ClientFile {
  clients: ParsedClient[];
  /** The Keycloak realm, or an empty string for JSONL. */
  source: string;
}

export type ClientFormat = 'keycloak' | 'jsonl';

/** Bytes. */
const MAX_CLIENT_SIZE = 1_048_576;

/**
 * @param path a file or, for Keycloak, the directory of an export
 * @throws UnreadableFileError if the file has another format or changes while it is read
 */
export const readClientFile = (path: string, format: ClientFormat): Promise<ClientFile> =>
  format === 'keycloak' ? readRealm(path) : readLines(path);

async function readRealm(path: string): Promise<ClientFile> {
  const [realmFile = path] = await findRealmFiles(path);
  const file = await openInputFile(realmFile);
  try {
    const clients: ParsedClient[] = [];
    let realm: string | undefined;
    for await (const { name, value, refused } of readMembers(file.chunks(), getMaxLength)) {
      if (name === 'realm' && typeof value === 'string') realm = value;
      if (name === 'clients')
        clients.push(
          refused === undefined ? convertKeycloakEntry(value) : reject('', formatRemark({ code: refused })),
        );
    }
    if (realm === undefined || clients.length === 0)
      throw new UnreadableFileError('realm_without_clients', realmFile);
    return { clients, source: realm };
  } finally {
    await file.close();
  }
}

/** Elements of lists other than `clients` aren't parsed. */
const getMaxLength = (list: string) => ({ '': MAX_MEMBER_SIZE, clients: MAX_CLIENT_SIZE })[list] ?? 0;

function convertKeycloakEntry(entry: unknown): ParsedClient {
  const client = keycloakClientSchema.safeParse(entry);
  if (!client.success) return rejectInvalidEntry(entry, 'clientId', client.error);
  const { clientId } = client.data;
  const conversion = convertKeycloakClient(client.data);
  if ('skipped' in conversion) return { clientId, verdict: 'skipped', reason: conversion.skipped };
  if ('refused' in conversion) return reject(clientId, conversion.refused);
  const record = clientRecordSchema.safeParse(conversion.record);
  return record.success
    ? { record: record.data, notes: conversion.notes }
    : rejectInvalidEntry(entry, 'clientId', record.error);
}

async function readLines(path: string): Promise<ClientFile> {
  const file = await openInputFile(path);
  try {
    const clients: ParsedClient[] = [];
    for await (const { row, record, refusals = [] } of readJsonLines(file.chunks(), (record) => ({ record })))
      if (record === undefined) clients.push(reject(`line ${row}`, refusals.map(formatRemark).join(' ')));
      else clients.push(validateEntry(record));
    if (clients.length === 0) throw new UnreadableFileError('no_clients', path);
    return { clients, source: '' };
  } finally {
    await file.close();
  }
}

function validateEntry(entry: unknown): ParsedClient {
  const { success, data, error } = clientRecordSchema.safeParse(entry);
  return success ? { record: data, notes: [] } : rejectInvalidEntry(entry, 'client_id', error);
}

const reject = (clientId: string, reason: string): ParsedClient => ({ clientId, verdict: 'refused', reason });

function rejectInvalidEntry(entry: unknown, idMember: string, { issues }: z.ZodError): ParsedClient {
  const id = (entry as Record<string, unknown> | null)?.[idMember];
  const [issue] = issues;
  return reject(
    typeof id === 'string' ? id.slice(0, 100) : '',
    `${issue?.path.join('.') || 'The entry'}: ${issue?.message ?? 'invalid'}.`,
  );
}
