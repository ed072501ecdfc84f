// What becomes of applications, without whoever decides about them.
import { APPLICATION_SECRETS, rotateSecret } from '../../src/applications/secrets.ts';
import { deleteOwnApplication } from '../../src/store/applications.ts';
import { findContactOfApplication } from '../../src/store/credentials.ts';
import type { Database, Queryable } from '../../src/store/database.ts';

/** Deletes an application, whoever it belongs to; false when there is none. */
export async function deleteClient(database: Queryable, clientId: string): Promise<boolean> {
  const owner = await findContactOfApplication(database, clientId);
  return owner !== undefined && deleteOwnApplication(database, owner.userId, clientId, owner.application);
}

/** Gives an application another secret, as the command line does. */
export async function newSecret(
  database: Database,
  clientId: string,
  overlap: number,
  now: Date,
): Promise<string> {
  const { userId = '' } = (await findContactOfApplication(database, clientId)) ?? {};
  const owner = { userId, address: undefined };
  const rotated = await rotateSecret(APPLICATION_SECRETS, database, owner, clientId, overlap, undefined, now);
  if (rotated?.outcome !== 'rotated') throw new Error(`no secret for ${clientId}`);
  return rotated.secret;
}
