// Registers the pages of the signed-in account.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import { registerSignedInRoutes } from '../../web/session-guard.ts';
import { activityPage } from './activity.ts';
import { connectedApplicationsPage } from './connected-applications.ts';
import { dataExportPage } from './data-export.ts';
import { accountDeletionPage } from './deletion.ts';
import { overviewPage } from './overview.ts';
import { picturePage } from './picture.ts';
import { profilePage } from './profile.ts';
import { sessionsPage } from './sessions.ts';

export const accountPages = (app: FastifyInstance, services: Services): void =>
  registerSignedInRoutes(app, services, (area) => {
    overviewPage(area, services);
    profilePage(area, services);
    picturePage(area, services);
    sessionsPage(area, services);
    activityPage(area, services);
    connectedApplicationsPage(area, services);
    dataExportPage(area, services);
    accountDeletionPage(area, services);
  });
