// Default values of the settings.
import type { z } from 'zod';
import { SETTINGS, type SettingKey } from './table.ts';

type Value<Key extends SettingKey> = z.output<(typeof SETTINGS)[Key]['schema']>;

type DefaultInputs = { [Key in 'baseUrl' | 'environment' | 'port' | 'tlsCert']: Value<Key> };

export const getHost = (baseUrl = 'http://localhost'): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';

export function getDerivedDefaults({ baseUrl, environment, port, tlsCert }: DefaultInputs) {
  const localUrl = `${tlsCert === undefined ? 'http' : 'https'}://localhost:${port}`;
  return {
    baseUrl: localUrl,
    mfaPolicy: environment === 'production' ? ('administrators' as const) : ('optional' as const),
    passkeyRpId: getHost(baseUrl ?? localUrl),
  };
}

/** Returns undefined if the setting has no default. */
export function getDefault(key: SettingKey, settings: DefaultInputs): unknown {
  const defaults: Partial<Record<SettingKey, unknown>> = getDerivedDefaults(settings);
  return defaults[key] ?? SETTINGS[key].schema.parse(undefined);
}
