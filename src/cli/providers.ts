// sesame providers: manages the identity providers that users can sign in with.
import type { Command } from 'commander';
import { withoutSlot } from '../http/overload.ts';
import { messagesFor } from '../i18n/index.ts';
import { type IdentityProvider, MAX_PROVIDERS, PROVIDER_PRESETS } from '../oauth/identity-provider.ts';
import { openProviderSecret } from '../providers/configuration.ts';
import { PRESETS } from '../providers/presets.ts';
import { testProvider } from '../providers/provider-test.ts';
import {
  addProvider,
  type ChangeOutcome,
  changeProvider,
  moveProvider,
  removeProvider,
  setProviderEnabled,
} from '../providers/settings.ts';
import { EMPTY_FIELDS, toProviderFields } from '../providers/settings-fields.ts';
import { findProvider, listProviders } from '../store/identity-providers.ts';
import { countLinksCapped, findProviderUsage } from '../store/provider-links.ts';
import { providerRedirectUri } from '../web/provider-state.ts';
import { CommandError, type Context } from './context.ts';
import {
  addProviderOptions,
  applyOptions,
  createSettingsError,
  type ProviderCommandOptions,
  readSecret,
  rejectInapplicableOptions,
} from './providers-options.ts';
import {
  addModerationCommands,
  type CreateAction,
  cleanReason,
  formatExamples,
  parseWholeNumber,
} from './run.ts';

const listIdentityProviders = async ({ database }: Context) => {
  const rows = [];
  for (const provider of await listProviders(database))
    rows.push({
      provider_id: provider.providerId,
      name: provider.name,
      preset: provider.preset,
      issuer: provider.issuer,
      linked_accounts: await countLinksCapped(database, provider.providerId),
      disabled: provider.disabledAt !== null,
      created_at: provider.createdAt,
    });
  return { columns: ['provider_id', 'name', 'preset', 'issuer', 'linked_accounts', 'disabled'], rows };
};

async function showProvider(context: Context, providerId: string) {
  const provider = await requireProvider(context, providerId);
  const { options, trustedEmailDomains, disabledAt } = provider;
  const usage = await findProviderUsage(context.database, providerId);
  return {
    provider_id: providerId,
    name: provider.name,
    preset: provider.preset,
    issuer: provider.issuer,
    client_id: provider.clientId,
    redirect_uri: providerRedirectUri(context.config.baseUrl, providerId),
    secret: openProviderSecret(await context.sealer(), provider) === undefined ? 'unreadable' : 'stored',
    ...(options.tenants && { tenants: options.tenants }),
    ...(options.personalAccounts && { personal_accounts: true }),
    ...(options.tokenEndpointAuthMethod && { token_auth: options.tokenEndpointAuthMethod }),
    ...(options.teamId && { team_id: options.teamId, key_id: options.keyId }),
    ...(options.acrs && { mfa_acrs: Object.keys(options.acrs) }),
    email_domains: trustedEmailDomains,
    position: (await listProviders(context.database)).findIndex((one) => one.providerId === providerId) + 1,
    disabled: disabledAt !== null,
    linked_accounts: usage.links,
    accounts_without_other_sign_in: usage.dependentAccounts,
    created_at: provider.createdAt,
  };
}

async function addIdentityProvider(
  context: Context,
  {
    preset,
    id,
    issuer,
    ...options
  }: ProviderCommandOptions & { preset: string; id?: string; issuer?: string },
) {
  const known = PROVIDER_PRESETS.find((name) => name === preset);
  if (known === undefined) throw new CommandError(`--preset must be one of: ${PROVIDER_PRESETS.join(', ')}.`);
  rejectInapplicableOptions(known, { ...options, issuer });
  const fields = {
    ...applyOptions(options, { ...EMPTY_FIELDS, name: messagesFor('en').identityProviders.presets[known] }),
    providerId: id ?? preset,
    issuer: issuer ?? PRESETS[known].issuer ?? '',
    secret: (await readSecret(context, options)) ?? '',
  };
  const services = { ...context, sealer: await context.sealer() };
  const outcome = await addProvider(services, known, fields, {}, context.now);
  if (outcome === 'tooMany')
    throw new CommandError(
      `There are already ${MAX_PROVIDERS} providers. To remove one, run: sesame providers remove ID`,
    );
  if (typeof outcome === 'object') throw createSettingsError(outcome);
  return {
    provider_id: fields.providerId,
    redirect_uri: providerRedirectUri(context.config.baseUrl, fields.providerId),
  };
}

async function updateProvider(
  context: Context,
  providerId: string,
  options: ProviderCommandOptions & { position?: number },
) {
  if (Object.keys(options).filter((name) => name !== 'json').length === 0)
    throw new CommandError('Nothing to change. To list the options, run: sesame providers update --help');
  const provider = await requireProvider(context, providerId);
  rejectInapplicableOptions(provider.preset, options);
  const secret = await readSecret(context, options);
  if (secret === '') throw new CommandError('The secret is empty.');
  const fields = { ...applyOptions(options, toProviderFields(provider)), secret: secret ?? '' };
  const services = { ...context, sealer: await context.sealer() };
  const outcome = await changeProvider(services, providerId, fields, {}, context.now);
  if (typeof outcome === 'object') throw createSettingsError(outcome);
  if (options.position !== undefined)
    await moveProvider(context, providerId, options.position, {}, context.now);
  return showProvider(context, providerId);
}

async function runTest(context: Context, providerId: string) {
  const provider = await requireProvider(context, providerId);
  const { config } = context;
  const services = {
    ...{ config, sealer: await context.sealer(), now: () => new Date() },
    policy: { production: config.production, allowLoopback: true },
  };
  const redirectUri = providerRedirectUri(config.baseUrl, providerId);
  const failure = await withoutSlot({ slot: undefined }, (slotProof) =>
    testProvider(provider, redirectUri, services, slotProof),
  );
  const { steps, remedies } = messagesFor('en').identityProviders.test;
  if (failure !== undefined)
    throw new CommandError(
      [
        `Step failed: ${steps[failure.step]} (${failure.step}).`,
        ...(failure.detail === '' ? [] : [`Received: ${failure.detail}`]),
        remedies[failure.kind].replaceAll('`', ''),
      ].join('\n'),
    );
  return {
    provider_id: providerId,
    passed: true,
    sign_in_test: `${config.baseUrl}/console/operations/providers/${providerId}/test`,
  };
}

async function removeIdentityProvider(
  context: Context,
  providerId: string,
  { yes, ...options }: { yes?: boolean; reason?: string },
) {
  const { database, now } = context;
  await requireProvider(context, providerId);
  const { links, dependentAccounts } = await findProviderUsage(database, providerId);
  if (!yes) {
    const { removeText, dependent } = messagesFor('en').identityProviders;
    const warning = dependentAccounts > 0 ? ` ${dependent(dependentAccounts)}` : '';
    throw new CommandError(`${removeText(links)}${warning} To confirm, add --yes.`);
  }
  const by = cleanReason(options);
  await database.transaction((transaction) => removeProvider(transaction, providerId, undefined, by, now));
  return { removed: providerId, unlinked: links };
}

async function requireProvider({ database }: Context, providerId: string): Promise<IdentityProvider> {
  const provider = await findProvider(database, providerId);
  if (provider === undefined)
    throw new CommandError(
      `No provider has the ID ${providerId}. To list providers, run: sesame providers list`,
    );
  return provider;
}

export function addProviderCommands(program: Command, run: CreateAction): void {
  const providers = program
    .command('providers')
    .description('Manage the identity providers that users can sign in with')
    .addHelpText(
      'after',
      formatExamples(
        'providers add --preset google --client-id 123.apps.googleusercontent.com --secret-file google.txt',
        'providers add --preset oidc --id example --name Example --issuer https://idp.example.com --client-id sesame --secret-stdin < secret.txt',
        'providers update google --email-domain example.com gmail.com',
        'providers test google',
      ),
    );
  providers
    .command('list')
    .description('List all providers in the order of the sign-in page')
    .action(run(listIdentityProviders));
  providers
    .command('show')
    .description("Show a provider's settings and number of linked accounts")
    .argument('<provider-id>')
    .action(run(showProvider));
  addProviderOptions(
    providers
      .command('add')
      .description('Add a provider and print its redirect URI')
      .requiredOption('--preset <preset>', PROVIDER_PRESETS.join(', '))
      .option(
        '--id <id>',
        "provider ID, part of the redirect URI; can't be changed later (default: the preset)",
      )
      .option('--issuer <url>', "oidc, gitlab, proconnect: issuer; can't be changed later"),
  ).action(run(addIdentityProvider));
  addProviderOptions(
    providers.command('update').description("Update a provider's settings").argument('<provider-id>'),
  )
    .option('--position <number>', 'position on the sign-in page, starting at 1', parseWholeNumber)
    .action(run(updateProvider));
  providers
    .command('test')
    .description("Test a provider's configuration and print the URL of the sign-in test")
    .argument('<provider-id>')
    .action(run(runTest));
  addModerationCommands(
    providers,
    run,
    '<provider-id>',
    [
      ['disable', 'disable', 'Disable a provider. Accounts stay linked'],
      ['enable', 'enable', 'Enable a provider'],
    ],
    async (action, providerId, by, context) => {
      await requireProvider(context, providerId);
      const outcome: ChangeOutcome = await setProviderEnabled(
        context,
        providerId,
        action === 'enable',
        by,
        context.now,
      );
      return { provider_id: providerId, changed: outcome === 'done' };
    },
  );
  providers
    .command('remove')
    .description('Remove a provider and unlink all accounts from it')
    .argument('<provider-id>')
    .option('--yes', 'confirm the removal')
    .option('--reason <text>', 'reason for the audit log')
    .action(run(removeIdentityProvider));
}
