// Registers the pages under /console/operations. Users who aren't administrators get 404.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { registerSignedInRoutes } from '../../web/session-guard.ts';
import { accountAccessPages } from './account-access.ts';
import { accountSection } from './accounts.ts';
import { activityPage } from './activity.ts';
import { agentSection } from './agents.ts';
import { apiSection } from './apis.ts';
import { applicationSection } from './applications.ts';
import { auditPages } from './audit.ts';
import { editAccountPage } from './edit-account.ts';
import { importPage } from './import.ts';
import { invitePage } from './invite.ts';
import { ADMIN_URL } from './layout.ts';
import { overviewPage } from './overview.ts';
import { providerPages } from './providers.ts';
import { searchPage } from './search.ts';
import { sectionPages } from './sections.ts';
import { settingsPage } from './settings.ts';

/** Unknown URLs accept the methods of existing pages so that responses don't reveal which pages exist. */
const PAGE_METHODS = ['GET', 'HEAD', 'POST'];

export function adminPages(app: FastifyInstance, services: Services): void {
  registerSignedInRoutes(
    app,
    services,
    (area) => {
      overviewPage(area, services);
      activityPage(area, services);
      invitePage(area, services);
      importPage(area, services);
      editAccountPage(area, services);
      accountAccessPages(area, services);
      searchPage(area, services, [
        sectionPages(area, services, accountSection(services)),
        sectionPages(area, services, applicationSection(services)),
        sectionPages(area, services, apiSection(services)),
        sectionPages(area, services, agentSection(services)),
      ]);
      providerPages(area, services);
      auditPages(area, services);
      settingsPage(area, services);
      const rejectUnknownUrl = () => {
        throw notFound();
      };
      area.post(ADMIN_URL, rejectUnknownUrl);
      area.route({ method: PAGE_METHODS, url: `${ADMIN_URL}/*`, handler: rejectUnknownUrl });
    },
    { adminOnly: true },
  );
}
