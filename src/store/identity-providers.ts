// Reads, locks and changes identity providers.
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import { execute, findAll, findHot, findOne, hasRows } from './query.ts';

const COLUMNS = `p.provider_id as "providerId", p.preset, p.name, p.issuer, p.client_id as "clientId",
  p.sealed_secret as "sealedSecret", p.options, p.trusted_email_domains as "trustedEmailDomains", p.position,
  p.disabled_at as "disabledAt", p.created_at as "createdAt"`;

export const listProviders = findAll<IdentityProvider>(
  'list_identity_providers',
  `select ${COLUMNS} from identity_providers p order by p.position, p.provider_id`,
);

export const findProvider = findOne<IdentityProvider, [providerId: string]>(
  'find_identity_provider',
  `select ${COLUMNS} from identity_providers p where p.provider_id = $1::text`,
);

/** Prevents deletion and disabling of the provider until the transaction ends. */
export const lockProvider = findOne<IdentityProvider, [providerId: string]>(
  'lock_identity_provider',
  `select ${COLUMNS} from identity_providers p where p.provider_id = $1::text for key share`,
);

export const findProviderForSignIn = findHot<IdentityProvider, [providerId: string]>(
  'find_identity_provider_for_sign_in',
  `select ${COLUMNS} from identity_providers p where p.provider_id = $1::text`,
);

/** Serializes changes that affect the limit or the order. */
export const lockProviders = execute(
  'lock_identity_providers',
  'select p.provider_id from identity_providers p order by p.provider_id for update',
);

export const insertProvider = hasRows<[provider: Omit<IdentityProvider, 'position' | 'disabledAt'>]>(
  'insert_identity_provider',
  `insert into identity_providers (provider_id, preset, name, issuer, client_id, sealed_secret, options,
    trusted_email_domains, position, created_at)
  select $providerId::text, $preset::text, $name::text, $issuer::text, $clientId::text, $sealedSecret::text,
    $options::jsonb, $trustedEmailDomains::text[], coalesce(max(p.position), 0) + 1, $createdAt::timestamptz
  from identity_providers p
  on conflict do nothing returning provider_id`,
  (provider) => ({ ...provider, options: JSON.stringify(provider.options) }),
);

/** The id, preset and issuer can't change because linked identities depend on them. */
export const updateProvider = hasRows<[provider: Omit<IdentityProvider, 'createdAt' | 'preset' | 'issuer'>]>(
  'update_identity_provider',
  `update identity_providers set name = $name::text, client_id = $clientId::text, sealed_secret = $sealedSecret::text,
    options = $options::jsonb, trusted_email_domains = $trustedEmailDomains::text[], position = $position::integer,
    disabled_at = $disabledAt::timestamptz
  where provider_id = $providerId::text returning provider_id`,
  ({ providerId, name, clientId, sealedSecret, options, trustedEmailDomains, position, disabledAt }) => ({
    providerId,
    name,
    clientId,
    sealedSecret,
    options: JSON.stringify(options),
    trustedEmailDomains,
    position,
    disabledAt,
  }),
);

export const resealProvider = execute<[providerId: string, previous: string, resealed: string]>(
  'reseal_identity_provider',
  `update identity_providers set sealed_secret = $3::text
  where provider_id = $1::text and sealed_secret = $2::text`,
);

/** Keeps the linked identities (store/provider-links.ts). */
export const deleteProvider = execute<[providerId: string]>(
  'delete_identity_provider',
  'delete from identity_providers where provider_id = $1::text',
);
