// /console/operations/providers: lists, orders, disables and enables identity providers.
import type { FastifyInstance } from 'fastify';
import { truncateToDay } from '../../background/activity.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { moveProvider, setProviderEnabled } from '../../providers/settings.ts';
import { listProviderSignIns } from '../../store/activity.ts';
import { listProviders } from '../../store/identity-providers.ts';
import { doneMessage } from '../../web/form-errors.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { type Actions, actionPages, moderatorOf } from './actions.ts';
import { PROVIDERS_URL, providerUrl } from './layout.ts';
import { loadProvider, type ProviderDetail } from './provider-detail.ts';
import { providerForms } from './provider-form.ts';
import { providerRemovalPage } from './provider-removal.ts';
import { providerTestPage } from './provider-test.ts';
import {
  dependentAccountsWarning,
  providerListView,
  providerSummary,
  providerView,
} from './providers-view.ts';

const SIGN_IN_COUNT_DAYS = 30;
const DAY = 24 * 3_600_000;

export function providerPages(area: FastifyInstance, services: Services): void {
  const { config, database } = services;
  const path = `${PROVIDERS_URL}/:providerId`;

  area.get(PROVIDERS_URL, async (request, reply) => {
    await services.activity.flush();
    const firstDay = new Date(truncateToDay(services.now()).getTime() - (SIGN_IN_COUNT_DAYS - 1) * DAY);
    const [providers, signIns] = await Promise.all([
      listProviders(database),
      listProviderSignIns(database, firstDay),
    ]);
    const counts = new Map(signIns.map((row) => [row.providerId, row.signIns]));
    return reply.page({
      title: ({ operations }) => operations.providers,
      main: (messages) =>
        providerListView({
          messages,
          rows: providers.map((provider) => ({ ...provider, signIns: counts.get(provider.providerId) ?? 0 })),
          service: config.serviceName,
          csrf: signedInUser(request).csrf,
          done: doneMessage(request, messages.identityProviders.done),
        }),
    });
  });

  providerForms(area, services);

  const actions: Actions<ProviderDetail, 'disable' | 'enable'> = {
    section: 'providers',
    path,
    find: (request) => loadProvider(request, services),
    pathOf: ({ providerId }) => providerUrl(providerId),
    nameOf: ({ name }) => name,
    summary: providerSummary,
    actions: ['disable', 'enable'],
    listPossible: ({ disabledAt }) => [disabledAt === null ? 'disable' : 'enable'],
    dangerous: ['disable'],
    labels: ({ identityProviders: text }) => ({
      disable: { action: text.disable, text: text.disableText },
      enable: { action: text.enable, text: text.enableText },
    }),
    extraField: (action, provider, _fields, messages) =>
      action === 'disable' && dependentAccountsWarning(provider, messages),
    perform: (action, { providerId }, by) =>
      setProviderEnabled(services, providerId, action === 'enable', by, services.now()),
  };
  actionPages(area, actions);
  providerRemovalPage(area, services);
  providerTestPage(area, services);

  area.get(path, async (request, reply) => {
    const provider = await loadProvider(request, services);
    return reply.page({
      title: () => provider.name,
      main: (messages) =>
        providerView(provider, doneMessage(request, messages.identityProviders.done), messages),
    });
  });

  for (const [direction, offset] of [
    ['up', -1],
    ['down', 1],
  ] as const)
    area.embeddedForm({
      path: `${path}/${direction}`,
      page: PROVIDERS_URL,
      async act(request) {
        const { providerId } = await loadProvider(request, services);
        const order = (await listProviders(database)).map((provider) => provider.providerId);
        const position = order.indexOf(providerId) + 1 + offset;
        const outcome = await moveProvider(
          services,
          providerId,
          position,
          moderatorOf(request),
          services.now(),
        );
        if (outcome === 'notAdmin' || outcome === 'notFound') throw notFound();
        return `${PROVIDERS_URL}?done=move`;
      },
    });
}
