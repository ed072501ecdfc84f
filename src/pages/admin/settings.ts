// /console/operations/settings: lists all settings and hides the values of secrets.
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { isMailConfigured } from '../../mail/delivery.ts';
import { getDefault } from '../../settings/defaults.ts';
import { SETTING_GROUPS, SETTINGS, type SettingKey } from '../../settings/table.ts';
import { breakable } from '../../web/html/breakable.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { adminNavigation, SETTINGS_URL } from './layout.ts';

export function settingsPage(area: FastifyInstance, { config }: Services): void {
  area.get(SETTINGS_URL, async (_request, reply) =>
    reply.page({
      title: (messages) => messages.operations.settings,
      main: (messages) => settingsView(messages, config),
    }),
  );
}

function settingsView(messages: Messages, config: Config): Html {
  const { operations: text } = messages;
  const keys = Object.keys(SETTINGS) as SettingKey[];
  const differsFromDefault = (key: SettingKey) => !isDeepStrictEqual(config[key], getDefault(key, config));
  const warnedKeys = keys.filter((key) => settingWarning(key, config, messages) !== undefined);
  const otherKeys = keys.filter((key) => !warnedKeys.includes(key));
  const changedKeys = otherKeys.filter(differsFromDefault);
  const defaultKeys = otherKeys.filter((key) => !differsFromDefault(key));
  const settingList = (id: string, heading: string, listed: readonly SettingKey[]) =>
    html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
<dl class="settings">
${listed.map((key) => settingRow(key, config, messages, formatDefault(key, config, messages)))}</dl>
</section>`;
  return html`${adminNavigation(messages, 'settings')}
<h1>${text.settings}</h1>
<p class="lead">${text.settingsIntro}</p>
${warnedKeys.length > 0 && settingList('warned', text.settingsToCheck, warnedKeys)}
${changedKeys.length > 0 && settingList('changed', text.changedSettings, changedKeys)}
<section aria-labelledby="defaults">
<h2 id="defaults">${text.defaultSettings}</h2>
<div class="folded-list">
${SETTING_GROUPS.map((group) => {
  const groupKeys = defaultKeys.filter((key) => SETTINGS[key].group === group);
  return (
    groupKeys.length > 0 &&
    html`<details class="folded">
<summary>${text.settingsOf.groups[group]} <span class="quiet">${text.number(groupKeys.length)}</span></summary>
<dl class="settings">
${groupKeys.map((key) => settingRow(key, config, messages))}</dl>
</details>
`
  );
})}</div>
</section>`;
}

function settingWarning(key: SettingKey, config: Config, { operations: text }: Messages): string | undefined {
  if (key === 'smtpUrl' && !isMailConfigured(config)) return text.noEmails;
  const isUnlimited =
    (key === 'rateLimitPerMinute' && config.rateLimitPerMinute === 0) ||
    (key === 'hourlyLimits' && !config.hourlyLimits);
  return isUnlimited ? text.noLimit : undefined;
}

function settingRow(key: SettingKey, config: Config, messages: Messages, note?: string): Html {
  const { name } = SETTINGS[key];
  const warning = settingWarning(key, config, messages);
  return html`<div id="${name}"><dt><code>${name}</code></dt><dd>${breakable(formatValue(key, config[key], messages))}${warning && html` ${tag(warning, 'waiting', 'triangle-alert')}`}${note && html` <span class="quiet">${note}</span>`}</dd><dd class="quiet">${messages.operations.settingsOf.explained[key]}</dd></div>
`;
}

function formatDefault(key: SettingKey, config: Config, messages: Messages): string | undefined {
  const value = getDefault(key, config);
  return isEmpty(value) || 'secret' in SETTINGS[key]
    ? undefined
    : messages.operations.defaultIs(formatValue(key, value, messages));
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

function formatValue(key: SettingKey, value: unknown, { operations: text }: Messages): string {
  const setting = SETTINGS[key];
  if (isEmpty(value)) return text.notSet;
  // Images and certificates can't be shown as text.
  if ('secret' in setting || (typeof value === 'object' && !Array.isArray(value))) return text.set;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.join(', ');
  return 'unit' in setting
    ? `${value === 0 ? text.noLimit : text.duration(Number(value))} (${value})`
    : String(value);
}
