// /console/operations…: what operators see and do. For everybody else there is nothing here, whatever they ask and how.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { memberArea } from '../../web/member.ts';
import { accountActionPages } from './account-actions.ts';
import { accountMailPages } from './account-mails.ts';
import { accountFactorPages } from './account-second-factor.ts';
import { accountPages } from './accounts.ts';
import { activityPage } from './activity.ts';
import { AGENT_SECTION } from './agents.ts';
import { API_SECTION } from './apis.ts';
import { APPLICATION_SECTION } from './applications.ts';
import { auditPages } from './audit.ts';
import { OPERATIONS } from './frame-view.ts';
import { invitePage } from './invite.ts';
import { overviewPage } from './overview.ts';
import { searchPage } from './search.ts';
import { settingsPage } from './settings.ts';
import { sectionPages } from './things.ts';

/** The methods that pages here take. An address where there is none answers them as those do. */
const METHODS = ['GET', 'HEAD', 'POST'];

export function operationsPages(app: FastifyInstance, parts: Parts): void {
  memberArea(
    app,
    parts,
    (area) => {
      overviewPage(area, parts);
      activityPage(area, parts);
      accountPages(area, parts);
      invitePage(area, parts);
      accountActionPages(area, parts);
      accountMailPages(area, parts);
      accountFactorPages(area, parts);
      sectionPages(area, parts, APPLICATION_SECTION);
      sectionPages(area, parts, API_SECTION);
      sectionPages(area, parts, AGENT_SECTION);
      auditPages(area, parts);
      searchPage(area, parts);
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
