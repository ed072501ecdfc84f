// /console/operations/settings: shows all settings. For a secret, shows only whether it is set.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { SETTING_GROUPS, SETTINGS, type SettingKey } from '../../settings/table.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ADMIN_URL, adminNavigation } from './layout.ts';

export function settingsPage(area: FastifyInstance, { config }: Services): void {
  area.get(`${ADMIN_URL}/settings`, async (_request, reply) =>
    reply.page({
      title: (messages) => messages.operations.settings,
      main: (messages) => settingsView(messages, config),
    }),
  );
}

function settingsView(messages: Messages, config: Config): Html {
  const { settings: title, settingsIntro, settingsOf } = messages.operations;
  const keys = Object.keys(SETTINGS) as SettingKey[];
  return html`${adminNavigation(messages, 'settings')}
<h1>${title}</h1>
<p class="lead">${settingsIntro}</p>
${SETTING_GROUPS.map(
  (group) => html`<section aria-labelledby="settings-${group}">
<h2 id="settings-${group}">${settingsOf.groups[group]}</h2>
<dl class="facts facts--framed facts--settings">
${keys
  .filter((key) => SETTINGS[key].group === group)
  .map(
    (
      key,
    ) => html`<div><dt>${settingsOf.explained[key]}<br><code>${SETTINGS[key].name}</code></dt><dd>${formatValue(key, config, messages)}</dd></div>
`,
  )}</dl>
</section>
`,
)}`;
}

function formatValue(key: SettingKey, config: Config, { operations: text }: Messages): string {
  const value = config[key];
  const setting = SETTINGS[key];
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return text.notSet;
  // Images and certificates have no readable value.
  if ('secret' in setting || (typeof value === 'object' && !Array.isArray(value))) return text.set;
  if (typeof value === 'boolean') return value ? text.on : text.off;
  if (Array.isArray(value)) return value.join(', ');
  return 'unit' in setting
    ? `${value === 0 ? text.noLimit : text.duration(Number(value))} (${value})`
    : String(value);
}
