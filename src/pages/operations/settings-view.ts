// Owns the look of the settings in force.

import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from '../../web/html/html.ts';
import { operationsNavigation } from './frame-view.ts';

/** A setting as it may be shown: of a secret only whether there is one. */
export type ShownSetting = { name: string } & (
  | { kind: 'text'; value: string | undefined }
  | { kind: 'number'; value: number }
  | { kind: 'limit'; value: number }
  | { kind: 'seconds'; value: number }
  | { kind: 'switch'; value: boolean }
  | { kind: 'secret'; set: boolean }
);

/** What settings are about, in the order in which they are shown. */
export const GROUPS = ['identity', 'people', 'mail', 'tokens', 'network', 'retention', 'process'] as const;
export type SettingGroup = (typeof GROUPS)[number];

export interface ShownGroup {
  group: SettingGroup;
  settings: (ShownSetting & { explained: keyof Messages['operations']['settingsOf']['explained'] })[];
}

/** The settings, each with its meaning. */
export function settingsView({
  messages,
  groups,
}: {
  messages: Messages;
  groups: readonly ShownGroup[];
}): Html {
  const text = messages.operations;
  return html`${operationsNavigation(messages, 'settings')}
<h1>${text.settings}</h1>
<p class="lead">${text.settingsIntro}</p>
${groups.map(
  ({ group, settings }) => html`<section aria-labelledby="settings-${group}">
<h2 id="settings-${group}">${text.settingsOf.groups[group]}</h2>
<dl class="facts facts--framed facts--settings">
${settings.map(
  (
    setting,
  ) => html`<div><dt>${text.settingsOf.explained[setting.explained]}<br><code>${setting.name}</code></dt><dd>${said(setting, text)}</dd></div>
`,
)}</dl>
</section>
`,
)}`;
}

function said(setting: ShownSetting, text: Messages['operations']): string {
  switch (setting.kind) {
    case 'secret':
      return setting.set ? text.set : text.notSet;
    case 'switch':
      return setting.value ? text.on : text.off;
    case 'seconds':
      return `${text.duration(setting.value)} (${setting.value})`;
    case 'number':
      return text.number(setting.value);
    case 'limit':
      return setting.value === 0 ? text.unlimited : text.number(setting.value);
    case 'text':
      return setting.value === undefined || setting.value === '' ? text.notSet : setting.value;
  }
}
