// Registers the console pages of APIs.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../../http/services.ts';
import { apiAccessPages } from './access.ts';
import { connectionTestPages } from './connection-test.ts';
import { apiFormPages } from './form.ts';
import { apiIntegratePage } from './integrate.ts';
import { apiKeysPage } from './keys.ts';
import { apiOverviewPage } from './overview.ts';
import { apiScopePages } from './scopes.ts';
import { serviceAccessRequestPages } from './service-access-requests.ts';

export function apiPages(area: FastifyInstance, services: Services): void {
  apiFormPages(area, services);
  apiOverviewPage(area, services);
  apiAccessPages(area, services);
  serviceAccessRequestPages(area, services);
  apiIntegratePage(area, services);
  connectionTestPages(area, services);
  apiScopePages(area, services);
  apiKeysPage(area, services);
}
