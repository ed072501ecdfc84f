// /console: the pages of a person's own applications and APIs.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { memberArea } from '../../web/member.ts';
import { activityPage } from './activity.ts';
import { apiPages } from './apis/index.ts';
import { applicationPage } from './application.ts';
import { applicationApisPages } from './application-apis.ts';
import { applicationFormPages } from './application-form.ts';
import { deletionPage } from './deletion.ts';
import { diagnosticsPages } from './diagnostics.ts';
import { APIS, APPLICATIONS } from './frame-view.ts';
import { integratePage } from './integrate.ts';
import { listPage } from './list.ts';
import { logoPage } from './logo.ts';
import { protocolPages } from './protocol.ts';
import { secretPages } from './secrets.ts';
import { API_SECTION, APPLICATION_SECTION } from './sections.ts';
import { transferPages } from './transfer.ts';

const OTHER_METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function consolePages(app: FastifyInstance, parts: Parts): void {
  memberArea(app, parts, (area) => {
    area.get('/console', async (_request, reply) => reply.redirect(APPLICATIONS, 303));
    for (const section of [APPLICATION_SECTION, API_SECTION]) {
      listPage(area, parts, section);
      transferPages(area, parts, section);
      secretPages(area, parts, section);
      deletionPage(area, parts, section);
    }
    applicationFormPages(area, parts);
    applicationPage(area, parts);
    applicationApisPages(area, parts);
    integratePage(area, parts);
    diagnosticsPages(area, parts);
    activityPage(area, parts);
    logoPage(area, parts);
    protocolPages(area, parts);
    apiPages(area, parts);
  });
  // A method that no page takes: to say that it is the wrong one would tell whose application is there.
  for (const section of [APPLICATIONS, APIS])
    app.route({
      method: OTHER_METHODS,
      url: `${section}/*`,
      config: { caller: 'nobody' },
      handler: () => {
        throw notFound();
      },
    });
}
