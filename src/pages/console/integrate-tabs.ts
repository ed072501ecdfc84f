// The tabs of the Integrate page.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tabList } from '../../web/html/tabs.ts';
import { type ClientOrApi, clientOrApiUrl, kindOf } from './layout.ts';

const INTEGRATE_TABS = { application: ['code', 'button', 'reference'], api: ['code', 'reference'] } as const;
export type IntegrateTab = (typeof INTEGRATE_TABS)['application' | 'api'][number];

export const parseTab = (clientOrApi: ClientOrApi, value: string | undefined): IntegrateTab =>
  INTEGRATE_TABS[kindOf(clientOrApi)].find((name) => name === value) ?? 'code';

function listTabs(clientOrApi: ClientOrApi, messages: Messages) {
  const url = clientOrApiUrl(clientOrApi, 'integrate');
  return INTEGRATE_TABS[kindOf(clientOrApi)].map((name) => ({
    name,
    href: name === 'code' ? url : `${url}?tab=${name}`,
    text: messages.integrate.page.tabs[name],
  }));
}

export const integrateTabs = (clientOrApi: ClientOrApi, selected: IntegrateTab, messages: Messages): Html =>
  tabList({
    label: messages.integrate.page.parts,
    links: listTabs(clientOrApi, messages).map((tab) => ({ ...tab, isCurrent: tab.name === selected })),
  });

export const integrateRow = (clientOrApi: ClientOrApi, messages: Messages): Html =>
  html`<div><dt>${messages.applications.detail.integrate}</dt><dd>${listTabs(clientOrApi, messages).map(({ href, text }, index) => html`${index > 0 && ' · '}<a class="touch-target" href="${href}">${text}</a>`)}</dd></div>
`;
