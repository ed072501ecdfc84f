// /console/operations/providers/new and /edit: adds and edits identity providers.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { messagesFor } from '../../i18n/index.ts';
import { notFound } from '../../oauth/errors.ts';
import {
  type IdentityProvider,
  MAX_PROVIDERS,
  PROVIDER_PRESETS,
  type ProviderPreset,
} from '../../oauth/identity-provider.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { PRESETS } from '../../providers/presets.ts';
import { addProvider, changeProvider, getSettingsVersion } from '../../providers/settings.ts';
import {
  EMPTY_FIELDS,
  type ProviderFieldError,
  type ProviderFields,
  SETTINGS_BY_PRESET,
  TOKEN_AUTH_METHODS,
  toProviderFields,
  validateNewProvider,
  validateProvider,
} from '../../providers/settings-fields.ts';
import { listProviders } from '../../store/identity-providers.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { moderatorOf } from './actions.ts';
import { PROVIDERS_URL, providerUrl } from './layout.ts';
import { loadProvider } from './provider-detail.ts';
import { choosePresetView, providerFormView } from './provider-form-view.ts';

export function providerForms(area: FastifyInstance, services: Services): void {
  const { config, database } = services;

  area.get(`${PROVIDERS_URL}/new`, async (_request, reply) => {
    const providers = await listProviders(database);
    return reply.page({
      title: (messages) => messages.identityProviders.add,
      main: (messages) => choosePresetView(messages, (preset) => findExistingProvider(preset, providers)),
    });
  });

  area.formPage({
    path: `${PROVIDERS_URL}/new/:preset`,
    loadSubject: async (request) => {
      const { preset } = request.params as Record<string, string>;
      const known = PROVIDER_PRESETS.find((name) => name === preset);
      if (known === undefined) throw notFound();
      const providers = await listProviders(database);
      const taken = providers.map(({ providerId }) => providerId);
      return {
        preset: known,
        suggestedId: suggestProviderId(known, taken),
        existing: findExistingProvider(known, providers),
      };
    },
    respondInstead: ({ existing }, { method }) =>
      existing !== undefined && method !== 'POST' ? providerUrl(existing.providerId) : undefined,
    showsErrorsFirst: true,
    parse: (form) => parseFields(form),
    initialFields: ({ preset, suggestedId }) => ({
      ...EMPTY_FIELDS,
      providerId: suggestedId,
      name: preset === 'oidc' ? '' : messagesFor('en').identityProviders.presets[preset],
      issuer: PRESETS[preset].issuer ?? '',
    }),
    validate: ({ request, subject: { preset }, fields }) =>
      validateNewProvider(preset, withSecret(fields, request), config).map(toFormError),
    requiresReauthentication: true,
    async act({ request, subject: { preset }, fields }) {
      const by = moderatorOf(request);
      const outcome = await addProvider(services, preset, withSecret(fields, request), by, services.now());
      if (outcome === 'notAdmin') throw notFound();
      if (outcome === 'tooMany')
        return { errors: [{ text: ({ identityProviders }) => identityProviders.tooMany(MAX_PROVIDERS) }] };
      if (typeof outcome === 'object') return { errors: outcome.map(toFormError) };
      return `${providerUrl(fields.providerId)}?done=add`;
    },
    render: ({ subject: { preset }, fields }) => ({
      title: ({ identityProviders: text }) => text.addTitle(preset, text.presets[preset]),
      main: (state) => providerFormView({ ...state, preset, fields, baseUrl: config.baseUrl }),
    }),
  });

  area.formPage({
    path: `${PROVIDERS_URL}/:providerId/edit`,
    loadSubject: (request) => loadProvider(request, services),
    initialFields: (provider) => ({ ...toProviderFields(provider), version: getSettingsVersion(provider) }),
    parse: (form, { providerId, issuer }) => ({
      ...parseFields(form),
      providerId,
      issuer,
      // A rejected form keeps the version of the settings that it edits.
      version: form.get('version') ?? '',
    }),
    validate: ({ request, subject: { preset }, fields }) =>
      validateProvider(preset, withSecret(fields, request)).map(toFormError),
    requiresReauthentication: true,
    async act({ request, subject: provider, fields }) {
      const { providerId } = provider;
      const by = moderatorOf(request);
      const outcome = await changeProvider(
        services,
        providerId,
        withSecret(fields, request),
        by,
        services.now(),
        fields.version,
      );
      if (outcome === 'notAdmin' || outcome === 'notFound') throw notFound();
      if (outcome === 'stale') {
        // If the form is submitted again, it overwrites the current settings.
        fields.version = getSettingsVersion(provider);
        return { status: 409, errors: [{ text: ({ identityProviders }) => identityProviders.stale }] };
      }
      if (typeof outcome === 'object') return { errors: outcome.map(toFormError) };
      return outcome === 'done' ? `${providerUrl(providerId)}?done=edit` : providerUrl(providerId);
    },
    render: ({ subject: provider, fields }) => ({
      title: ({ identityProviders }) => identityProviders.editTitle(provider.name),
      main: (state) =>
        providerFormView({
          ...state,
          preset: provider.preset,
          fields,
          baseUrl: config.baseUrl,
          provider,
          version: fields.version,
        }),
    }),
  });
}

/** Finds the provider of a preset with a fixed issuer. An issuer can be added only once. */
const findExistingProvider = (
  preset: ProviderPreset,
  providers: readonly IdentityProvider[],
): IdentityProvider | undefined =>
  SETTINGS_BY_PRESET[preset].includes('issuer')
    ? undefined
    : providers.find(({ issuer }) => issuer === PRESETS[preset].issuer);

function suggestProviderId(preset: ProviderPreset, taken: readonly string[]): string {
  const candidates = Array.from({ length: MAX_PROVIDERS + 1 }, (_, index) =>
    index === 0 ? preset : `${preset}-${index + 1}`,
  );
  return candidates.find((id) => !taken.includes(id)) ?? preset;
}

/** Omits the secret because it must not be stored in the flash cookie. */
function parseFields(form: Parameters): ProviderFields {
  const readText = (name: string) => form.get(name)?.trim() ?? '';
  const readList = (name: string) =>
    readText(name)
      .split(/[\s,]+/)
      .filter((line) => line !== '');
  return {
    providerId: readText('provider_id'),
    name: readText('name'),
    issuer: readText('issuer'),
    clientId: readText('client_id'),
    secret: '',
    teamId: readText('team_id'),
    keyId: readText('key_id'),
    tenants: readList('tenants'),
    personalAccounts: form.get('personal_accounts') === 'yes',
    tokenAuth: TOKEN_AUTH_METHODS.find((method) => method === form.get('token_auth')) ?? '',
    emailDomains: readList('email_domains'),
    mfaAcrs: readText('mfa_acrs')
      .split(/\s+/)
      .filter((acr) => acr !== ''),
  };
}

const withSecret = (fields: ProviderFields, request: FastifyRequest): ProviderFields => ({
  ...fields,
  secret: readForm(request).get('secret')?.trim() ?? '',
});

const toFormError = (error: ProviderFieldError): ValidationError => ({
  ...(error.field !== 'preset' && { field: error.field }),
  text: ({ identityProviders: { errors, entryError } }) =>
    'entry' in error ? entryError(error.entry, errors[error.code]) : errors[error.code],
});
