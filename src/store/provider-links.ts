// Counts, deletes and reassigns identities linked through a provider.
import type { ExternalIdentity, IdentityProvider } from '../oauth/identity-provider.ts';
import type { Queryable } from './database.ts';
import { identityKey } from './external-identities.ts';
import { count, execute, findAll } from './query.ts';

/** Maximum number of links counted per provider, to keep the list fast. */
const MAX_LINK_COUNT = 10_000;

export const countLinksCapped = count<[providerId: string]>(
  'count_links_of_provider_capped',
  `select count(*)::int as number
  from (select 1 from external_identities i where i.provider_id = $1::text limit ${MAX_LINK_COUNT}) x`,
);

export interface ProviderUsage {
  links: number;
  dependentAccounts: number;
}

export const countLinks = count<[providerId: string]>(
  'count_links_of_provider',
  'select count(*)::int as number from external_identities i where i.provider_id = $1::text',
);

const countDependentAccounts = count<[providerId: string]>(
  'count_accounts_that_need_provider',
  `select count(*)::int as number from users u
  where u.password_hash is null and u.passkey_count = 0
    and exists (select from external_identities i where i.user_id = u.id and i.provider_id = $1::text)
    and not exists (select from recovery_codes r where r.user_id = u.id and r.used_at is null)
    and not exists (
      select from external_identities i join identity_providers p on p.provider_id = i.provider_id
      where i.user_id = u.id and i.provider_id <> $1::text and p.disabled_at is null)`,
);

export const findProviderUsage = async (database: Queryable, providerId: string): Promise<ProviderUsage> => ({
  links: await countLinks(database, providerId),
  dependentAccounts: await countDependentAccounts(database, providerId),
});

const BATCH_SIZE = 1000;

const findLinkedUsers = findAll<{ userId: string }, [providerId: string]>(
  'find_users_of_provider',
  `select distinct i.user_id as "userId" from external_identities i where i.provider_id = $1::text limit ${BATCH_SIZE}`,
);

const deleteLinks = findAll<ExternalIdentity, [providerId: string, userIds: readonly string[]]>(
  'delete_links_of_provider',
  `delete from external_identities where provider_id = $1::text and user_id = any ($2::uuid[])
  returning issuer, subject`,
);

const releaseIdentityKeys = execute<[keys: readonly Buffer[]]>(
  'release_links_of_provider',
  'delete from external_identity_keys where identity_key = any ($1::bytea[])',
);

export async function unlinkProvider(transaction: Queryable, providerId: string): Promise<number> {
  let deleted = 0;
  for (;;) {
    const users = await findLinkedUsers(transaction, providerId);
    if (users.length === 0) return deleted;
    const links = await deleteLinks(
      transaction,
      providerId,
      users.map(({ userId }) => userId),
    );
    await releaseIdentityKeys(transaction, links.map(identityKey));
    deleted += links.length;
  }
}

const assignLinks = execute<[issuer: string, userIds: readonly string[], providerId: string]>(
  'adopt_imported_links',
  `update external_identities set provider_id = $3::text
  where provider_id = $1::text and user_id = any ($2::uuid[])`,
);

/** Assigns imported identities to a provider that was just added. Until then, their `provider_id` is the issuer. */
export async function assignImportedLinks(
  transaction: Queryable,
  { providerId, issuer }: Pick<IdentityProvider, 'providerId' | 'issuer'>,
): Promise<void> {
  for (;;) {
    const users = await findLinkedUsers(transaction, issuer);
    if (users.length === 0) return;
    await assignLinks(
      transaction,
      issuer,
      users.map(({ userId }) => userId),
      providerId,
    );
  }
}
