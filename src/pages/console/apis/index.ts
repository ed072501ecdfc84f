// The pages of a person's own APIs, below /console/apis.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../../http/parts.ts';
import { apiAccessPages } from './access.ts';
import { apiFormPages } from './form.ts';
import { integrateApiPage } from './integrate.ts';
import { apiKeysPage } from './keys.ts';
import { apiOverviewPage } from './overview.ts';
import { apiRequestPages } from './requests.ts';
import { apiScopePages } from './scopes.ts';
import { connectionTestPages } from './test.ts';

export function apiPages(area: FastifyInstance, parts: Parts): void {
  apiFormPages(area, parts);
  apiOverviewPage(area, parts);
  apiAccessPages(area, parts);
  apiRequestPages(area, parts);
  integrateApiPage(area, parts);
  connectionTestPages(area, parts);
  apiScopePages(area, parts);
  apiKeysPage(area, parts);
}
