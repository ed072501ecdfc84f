// Lists tasks for administrators, such as overdue emails, suspensions and reports.
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { getKeyRotation, isRotationOverdue } from '../../keys/rotation.ts';
import { listSigningKeys } from '../../keys/signing-keys.ts';
import { isMailConfigured } from '../../mail/delivery.ts';
import { openProviderSecret } from '../../providers/configuration.ts';
import { SETTINGS, type SettingKey } from '../../settings/table.ts';
import type { Count, CountedKind } from '../../store/admin-counts.ts';
import { listProviders } from '../../store/identity-providers.ts';
import { listFailingClients } from '../../store/logout-deliveries.ts';
import { adminClientPath } from '../../web/html/client-display.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type IconName, icon } from '../../web/html/icons.ts';
import { tickIcon } from '../../web/html/notices.ts';
import {
  ACCOUNTS_URL,
  APIS_URL,
  APPLICATIONS_URL,
  AUDIT_URL,
  formatCount,
  providerUrl,
  SETTINGS_URL,
} from './layout.ts';

/** How long failed logout notifications are listed, in seconds. Delivery is retried for one day. */
const FAILED_LOGOUT_NOTICE_TTL = 2 * 24 * 3600;
const MAX_FAILING_CLIENTS = 3;

export interface AttentionItem {
  text: (messages: Messages) => string;
  href: string;
  icon: IconName;
  count?: Count;
}

const settingUrl = (key: SettingKey): string => `${SETTINGS_URL}#${SETTINGS[key].name}`;

const LINKED_COUNTS = {
  overdueEmails: [settingUrl('smtpUrl'), 'mail'],
  reports: [`${AUDIT_URL}?kind=unauthorized_activity_reported`, 'flag'],
  suspended: [`${ACCOUNTS_URL}?state=suspended`, 'ban'],
  suspendedApplications: [`${APPLICATIONS_URL}?state=suspended`, 'ban'],
  suspendedApis: [`${APIS_URL}?state=suspended`, 'ban'],
} as const satisfies Partial<Record<CountedKind, [href: string, icon: IconName]>>;

type AttentionServices = Pick<Services, 'config' | 'database' | 'sealer' | 'now'>;

export async function listAttentionItems(
  { config, database, sealer, now }: AttentionServices,
  counts: Record<CountedKind, Count>,
): Promise<AttentionItem[]> {
  const failuresSince = new Date(now().getTime() - FAILED_LOGOUT_NOTICE_TTL * 1000);
  const [keys, failingClients, providers] = await Promise.all([
    listSigningKeys(database, sealer, now()),
    listFailingClients(database, failuresSince, MAX_FAILING_CLIENTS),
    listProviders(database),
  ]);
  const items: (AttentionItem | false)[] = [
    !isMailConfigured(config) && {
      text: ({ operations }) => operations.attention.noMail,
      href: settingUrl('smtpUrl'),
      icon: 'triangle-alert',
    },
    keys.some(({ decryptable }) => !decryptable) && {
      text: ({ operations }) => operations.attention.unreadableKeys,
      href: settingUrl('secretKey'),
      icon: 'triangle-alert',
    },
    ...providers
      .filter((provider) => openProviderSecret(sealer, provider) === undefined)
      .map(
        ({ providerId, name }): AttentionItem => ({
          text: ({ operations }) => operations.attention.unreadableSecret(name),
          href: providerUrl(providerId, 'edit'),
          icon: 'triangle-alert',
        }),
      ),
    isRotationOverdue(keys, getKeyRotation(config), now()) && {
      text: ({ operations }) => operations.attention.keysDue,
      href: settingUrl('signingKeyRotation'),
      icon: 'key-round',
    },
    ...failingClients.map(
      ({ clientId, name, failures }): AttentionItem => ({
        text: ({ operations }) => operations.attention.failedDeliveries(name),
        href: adminClientPath(clientId),
        icon: 'log-out',
        count: { value: failures, isCapped: false },
      }),
    ),
    ...(Object.keys(LINKED_COUNTS) as (keyof typeof LINKED_COUNTS)[]).map((kind): AttentionItem | false => {
      const [href, icon] = LINKED_COUNTS[kind];
      const count = counts[kind];
      return count.value > 0 && { text: ({ operations }) => operations.attention[kind], href, icon, count };
    }),
  ];
  return items.filter((item) => item !== false);
}

export function attentionView(items: readonly AttentionItem[], messages: Messages): Html {
  const text = messages.operations.attention;
  if (items.length === 0) return html`<p class="attention attention--none">${tickIcon}${text.none}</p>`;
  return html`<section aria-labelledby="attention">
<h2 id="attention">${text.title}</h2>
<ul class="attention">
${items.map(
  ({
    icon: name,
    count,
    ...item
  }) => html`<li${name === 'triangle-alert' && html` class="attention--urgent"`}>${icon(name, 18)}<a href="${item.href}">${item.text(messages)}</a>${
    count && html` <strong>${formatCount(count, messages)}</strong>`
  }</li>
`,
)}</ul>
</section>`;
}
