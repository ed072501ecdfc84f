// Adds, changes, reorders, disables and removes identity providers, and records audit events.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { lockModerator, type Moderator } from '../accounts/moderation.ts';
import type { Config } from '../config.ts';
import { type IdentityProvider, MAX_PROVIDERS, type ProviderPreset } from '../oauth/identity-provider.ts';
import type { Sealer } from '../oauth/seal.ts';
import { type EventDetail, type EventKind, recordEvent } from '../store/audit-log.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import {
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  lockProviders,
  resealProvider,
  updateProvider,
} from '../store/identity-providers.ts';
import { assignImportedLinks, countLinks, unlinkProvider } from '../store/provider-links.ts';
import { openProviderSecret, sealProviderSecret } from './configuration.ts';
import { PRESETS } from './presets.ts';
import {
  type ProviderFieldError,
  type ProviderFields,
  SETTINGS_BY_PRESET,
  toProviderSettings,
  validateNewProvider,
  validateProvider,
} from './settings-fields.ts';

export interface ProviderServices {
  config: Pick<Config, 'production' | 'baseUrl'>;
  database: Database;
  sealer: Sealer;
}

type ProviderChangeError = 'notAdmin' | 'notFound';
export type ChangeOutcome = 'done' | 'unchanged' | ProviderChangeError;

export async function resealProviderSecrets(database: Database, sealer: Sealer): Promise<void> {
  for (const provider of await listProviders(database)) {
    const secret = openProviderSecret(sealer, provider);
    if (secret === undefined) continue;
    const resealed = sealProviderSecret(sealer, secret);
    if (resealed !== provider.sealedSecret)
      await resealProvider(database, provider.providerId, provider.sealedSecret, resealed);
  }
}

export async function addProvider(
  { config, database, sealer }: ProviderServices,
  preset: ProviderPreset,
  fields: ProviderFields,
  by: Moderator,
  now: Date,
): Promise<'done' | 'notAdmin' | 'tooMany' | readonly ProviderFieldError[]> {
  const errors = validateNewProvider(preset, fields, config);
  if (errors.length > 0) return errors;
  const { providerId } = fields;
  const settings = toProviderSettings(preset, fields);
  const hasIssuer = SETTINGS_BY_PRESET[preset].includes('issuer');
  const issuer = hasIssuer ? fields.issuer : (PRESETS[preset].issuer ?? '');
  return database.transaction(async (transaction) => {
    if (!(await lockModerator(transaction, by))) return 'notAdmin';
    await lockProviders(transaction);
    const providers = await listProviders(transaction);
    if (providers.length >= MAX_PROVIDERS) return 'tooMany';
    const conflicts: ProviderFieldError[] = [];
    if (providers.some((other) => other.providerId === providerId))
      conflicts.push({ field: 'provider_id', code: 'idTaken' });
    const others = providers.filter((other) => other.issuer !== issuer);
    if (isNameTaken(settings.name, others)) conflicts.push({ field: 'name', code: 'nameTaken' });
    if (providers.some((other) => other.issuer === issuer))
      conflicts.push({ field: hasIssuer ? 'issuer' : 'preset', code: 'issuerTaken' });
    if (conflicts.length > 0) return conflicts;
    const provider = {
      ...settings,
      providerId,
      preset,
      issuer,
      sealedSecret: sealProviderSecret(sealer, fields.secret),
      createdAt: now,
    };
    // Without providers, there is no row to lock, so two transactions can conflict.
    if (!(await insertProvider(transaction, provider)))
      return rollback([{ field: 'provider_id', code: 'idTaken' }] as const);
    await assignImportedLinks(transaction, provider);
    await recordProviderEvent(transaction, 'provider_added', provider, by, now);
    return 'done';
  });
}

/** Digest of the settings that `changeProvider` changes. */
export const getSettingsVersion = ({
  name,
  clientId,
  sealedSecret,
  options,
  trustedEmailDomains,
}: IdentityProvider): string =>
  hash('sha256', JSON.stringify([name, clientId, sealedSecret, options, trustedEmailDomains]), 'base64url');

/**
 * An empty secret leaves the secret unchanged.
 * @param basedOn the version that the administrator edited. If undefined, the version isn't checked.
 */
export async function changeProvider(
  { database, sealer }: Omit<ProviderServices, 'config'>,
  providerId: string,
  fields: ProviderFields,
  by: Moderator,
  now: Date,
  basedOn?: string,
): Promise<ChangeOutcome | 'stale' | readonly ProviderFieldError[]> {
  return withLockedProvider(database, providerId, by, async (transaction, provider) => {
    const errors = validateProvider(provider.preset, fields);
    if (errors.length > 0) return errors;
    const settings = toProviderSettings(provider.preset, fields);
    const others = (await listProviders(transaction)).filter((other) => other.providerId !== providerId);
    if (settings.name !== provider.name && isNameTaken(settings.name, others))
      return [{ field: 'name', code: 'nameTaken' }];
    const secret = fields.secret === '' ? openProviderSecret(sealer, provider) : fields.secret;
    const changed = [
      ...(settings.name === provider.name ? [] : ['name']),
      ...(settings.clientId === provider.clientId ? [] : ['clientId']),
      ...(secret === openProviderSecret(sealer, provider) ? [] : ['secret']),
      ...(isDeepStrictEqual(settings.trustedEmailDomains, provider.trustedEmailDomains)
        ? []
        : ['emailDomains']),
      ...(
        ['tenants', 'personalAccounts', 'teamId', 'keyId', 'tokenEndpointAuthMethod', 'acrs'] as const
      ).filter((name) => !isDeepStrictEqual(settings.options[name], provider.options[name])),
    ];
    if (changed.length === 0) return 'unchanged';
    if (basedOn !== undefined && basedOn !== getSettingsVersion(provider)) return 'stale';
    const sealedSecret = secret === undefined ? provider.sealedSecret : sealProviderSecret(sealer, secret);
    await updateProvider(transaction, { ...provider, ...settings, sealedSecret });
    await recordProviderEvent(transaction, 'provider_changed', { ...provider, ...settings }, by, now, {
      changed,
    });
    return 'done';
  });
}

/** @param position counted from 1 */
export const moveProvider = (
  { database }: Pick<ProviderServices, 'database'>,
  providerId: string,
  position: number,
  by: Moderator,
  now: Date,
): Promise<ChangeOutcome> =>
  withLockedProvider(database, providerId, by, async (transaction, provider) => {
    const providers = await listProviders(transaction);
    const others = providers.filter((other) => other.providerId !== providerId);
    const ordered = others.toSpliced(Math.max(position, 1) - 1, 0, provider);
    if (isDeepStrictEqual(ordered, providers)) return 'unchanged';
    for (const [index, one] of ordered.entries())
      if (one.position !== index + 1) await updateProvider(transaction, { ...one, position: index + 1 });
    await recordProviderEvent(transaction, 'provider_changed', provider, by, now, { changed: ['order'] });
    return 'done';
  });

export const setProviderEnabled = (
  { database }: Pick<ProviderServices, 'database'>,
  providerId: string,
  isEnabled: boolean,
  by: Moderator,
  now: Date,
): Promise<ChangeOutcome> =>
  withLockedProvider(database, providerId, by, async (transaction, provider) => {
    if (isEnabled === (provider.disabledAt === null)) return 'unchanged';
    await updateProvider(transaction, { ...provider, disabledAt: isEnabled ? null : now });
    await recordProviderEvent(
      transaction,
      isEnabled ? 'provider_enabled' : 'provider_disabled',
      provider,
      by,
      now,
    );
    return 'done';
  });

/**
 * Removes a provider and unlinks its users' identities.
 * @param expectedLinks the number of linked identities that the administrator confirmed. If undefined, it isn't
 *   checked.
 * @returns the actual number of linked identities if it differs
 */
export async function removeProvider(
  transaction: Queryable,
  providerId: string,
  expectedLinks: number | undefined,
  by: Moderator,
  now: Date,
): Promise<'done' | ProviderChangeError | { links: number }> {
  if (!(await lockModerator(transaction, by))) return 'notAdmin';
  await lockProviders(transaction);
  const provider = await findProvider(transaction, providerId);
  if (provider === undefined) return 'notFound';
  const links = await countLinks(transaction, providerId);
  if (expectedLinks !== undefined && expectedLinks !== links) return { links };
  const unlinked = await unlinkProvider(transaction, providerId);
  await deleteProvider(transaction, providerId);
  await recordProviderEvent(transaction, 'provider_removed', provider, by, now, { identities: unlinked });
  return 'done';
}

/** Users couldn't distinguish two providers with the same name. */
const isNameTaken = (name: string, providers: readonly IdentityProvider[]): boolean =>
  providers.some((other) => other.name.toLowerCase() === name.toLowerCase());

const withLockedProvider = <Outcome>(
  database: Database,
  providerId: string,
  by: Moderator,
  change: (transaction: Queryable, provider: IdentityProvider) => Promise<Outcome>,
): Promise<Outcome | ProviderChangeError> =>
  database.transaction(async (transaction) => {
    if (!(await lockModerator(transaction, by))) return 'notAdmin';
    await lockProviders(transaction);
    const provider = await findProvider(transaction, providerId);
    return provider === undefined ? 'notFound' : change(transaction, provider);
  });

const recordProviderEvent = (
  transaction: Queryable,
  kind: EventKind,
  { providerId, name }: Pick<IdentityProvider, 'providerId' | 'name'>,
  { userId: actorId, ip, reason }: Moderator,
  now: Date,
  detail: EventDetail = {},
): Promise<void> =>
  recordEvent(
    transaction,
    {
      kind,
      actorId,
      ip,
      detail: { provider: providerId, name, ...detail, ...(reason !== undefined && { reason }) },
    },
    now,
  );
