// What becomes of applications, without whoever decides about them.
import { rotateSecret } from '../../src/ownership/secrets.ts';
import { findContactOf } from '../../src/store/credentials.ts';
import type { Database, Queryable } from '../../src/store/database.ts';
import { deleteOwned } from '../../src/store/owned.ts';

/** Deletes an application, whoever it belongs to; false when there is none. */
export async function deleteClient(database: Queryable, clientId: string): Promise<boolean> {
  const owner = await findContactOf(database, 'application', clientId);
  if (owner === undefined) return false;
  return (await deleteOwned(database, 'application', owner.userId, clientId, owner.thing)) !== undefined;
}

/** Gives an application another secret, as the command line does. */
export async function newSecret(
  database: Database,
  clientId: string,
  overlap: number,
  now: Date,
): Promise<string> {
  const { userId = '' } = (await findContactOf(database, 'application', clientId)) ?? {};
  const owner = { userId, address: undefined };
  const secret = await rotateSecret(database, owner, { kind: 'application', id: clientId, overlap }, now);
  if (secret === undefined) throw new Error(`no secret for ${clientId}`);
  return secret;
}
