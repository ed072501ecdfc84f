// Default values of the settings, including those that depend on other settings.
import type { z } from 'zod';
import { SETTINGS, type SettingKey } from './table.ts';

type Value<Key extends SettingKey> = z.output<(typeof SETTINGS)[Key]['schema']>;

/** The settings that determine the defaults of other settings. `baseUrl` is undefined if BASE_URL is not set. */
type Determining = { [Key in 'baseUrl' | 'environment' | 'port' | 'tlsCert']: Value<Key> };

export const hostOf = (baseUrl = 'http://localhost'): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';

/** Returns the defaults that depend on other settings. */
export function derivedDefaults({ baseUrl, environment, port, tlsCert }: Determining) {
  const localUrl = `${tlsCert === undefined ? 'http' : 'https'}://localhost:${port}`;
  return {
    baseUrl: localUrl,
    mfaPolicy: environment === 'production' ? ('administrators' as const) : ('optional' as const),
    passkeyRpId: hostOf(baseUrl ?? localUrl),
  };
}

/** Returns a setting's default value, given the other settings. Undefined if the setting has no default. */
export function defaultOf(key: SettingKey, settings: Determining): unknown {
  const defaults: Partial<Record<SettingKey, unknown>> = derivedDefaults(settings);
  return defaults[key] ?? SETTINGS[key].schema.parse(undefined);
}
