// The pages of the account, all behind one door.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { memberArea } from '../../web/member.ts';
import { connectedApplicationsPage } from './applications.ts';
import { dataPage } from './data.ts';
import { deletionPage } from './deletion.ts';
import { overviewPage } from './overview.ts';
import { picturePage } from './picture.ts';
import { profilePage } from './profile.ts';
import { sessionsPage } from './sessions.ts';

export const accountPages = (app: FastifyInstance, parts: Parts): void =>
  memberArea(app, parts, (area) => {
    overviewPage(area, parts);
    profilePage(area, parts);
    picturePage(area, parts);
    sessionsPage(area, parts);
    connectedApplicationsPage(area, parts);
    dataPage(area, parts);
    deletionPage(area, parts);
  });
