// Registers the console's pages, where users manage their own applications and APIs.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { registerSignedInRoutes } from '../../web/session-guard.ts';
import { activityPage } from './activity.ts';
import { apiPages } from './apis/index.ts';
import { applicationPage } from './application.ts';
import { resourceDeletionPage } from './deletion.ts';
import { diagnosticsPages } from './diagnostics.ts';
import { generalSettingsPage } from './general-settings.ts';
import { integratePage } from './integrate.ts';
import { APIS_URL, APPLICATIONS_URL } from './layout.ts';
import { listPage } from './list.ts';
import { logoPage } from './logo.ts';
import { protocolPage } from './protocol.ts';
import { registrationPage } from './registration.ts';
import { secretPages } from './secrets.ts';
import { API_SECTION, APPLICATION_SECTION } from './sections.ts';
import { clientServiceAccessPages } from './service-access.ts';
import { signOutSettingsPage } from './sign-out.ts';
import { testSignInPages } from './test-sign-in.ts';
import { transferPages } from './transfer.ts';

const METHODS_EXCEPT_GET = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function consolePages(app: FastifyInstance, services: Services): void {
  registerSignedInRoutes(app, services, (area) => {
    area.get('/console', async (_request, reply) => reply.redirect(APPLICATIONS_URL, 303));
    for (const section of [APPLICATION_SECTION, API_SECTION]) {
      listPage(area, services, section);
      transferPages(area, services, section);
      secretPages(area, services, section);
      resourceDeletionPage(area, services, section);
    }
    registrationPage(area, services);
    generalSettingsPage(area, services);
    applicationPage(area, services);
    clientServiceAccessPages(area, services);
    integratePage(area, services);
    testSignInPages(area, services);
    diagnosticsPages(area, services);
    activityPage(area, services);
    logoPage(area, services);
    protocolPage(area, services);
    signOutSettingsPage(area, services);
    apiPages(area, services);
  });
  // Respond with 404 because 405 would reveal which applications exist.
  for (const section of [APPLICATIONS_URL, APIS_URL])
    app.route({
      method: METHODS_EXCEPT_GET,
      url: `${section}/*`,
      config: { caller: 'none' },
      handler: () => {
        throw notFound();
      },
    });
}
