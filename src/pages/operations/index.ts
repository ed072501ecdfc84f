// /console/operations…: what operators see and do. For everybody else there is nothing here, whatever they ask and how.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { memberArea } from '../../web/member.ts';
import { accountSection } from './accounts.ts';
import { activityPage } from './activity.ts';
import { agentSection } from './agents.ts';
import { apiSection } from './apis.ts';
import { applicationSection } from './applications.ts';
import { auditPages } from './audit.ts';
import { OPERATIONS } from './frame-view.ts';
import { invitePage } from './invite.ts';
import { overviewPage } from './overview.ts';
import { searchPage } from './search.ts';
import { sectionPages } from './sections.ts';
import { settingsPage } from './settings.ts';

/** The methods that pages here take. An address where there is none answers them as those do. */
const METHODS = ['GET', 'HEAD', 'POST'];

export function operationsPages(app: FastifyInstance, parts: Parts): void {
  memberArea(
    app,
    parts,
    (area) => {
      overviewPage(area, parts);
      activityPage(area, parts);
      invitePage(area, parts);
      searchPage(area, parts, [
        sectionPages(area, parts, accountSection(parts)),
        sectionPages(area, parts, applicationSection(parts)),
        sectionPages(area, parts, apiSection(parts)),
        sectionPages(area, parts, agentSection(parts)),
      ]);
      auditPages(area, parts);
      settingsPage(area, parts);
      const nothing = () => {
        throw notFound();
      };
      area.post(OPERATIONS, nothing);
      area.route({ method: METHODS, url: `${OPERATIONS}/*`, handler: nothing });
    },
    { operators: true },
  );
}
