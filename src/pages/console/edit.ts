// /console/applications/:client_id/edit: the settings of an application.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { changeApplication } from '../../applications/changes.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { leadsToKnownHost } from '../../oauth/callback-difference.ts';
import { notFound } from '../../oauth/errors.ts';
import { redirectUriFault } from '../../oauth/redirect-uri.ts';
import type { OwnApplication } from '../../store/applications.ts';
import type { Sent } from '../../web/form-page.ts';
import { type SettingsForm, settingsView } from './edit-view.ts';
import { APPLICATIONS, applicationAddress } from './frame-view.ts';
import { ownApplication, ownerOf } from './sections.ts';
import { linesOf, readSettings, secondsOf, settingsFaults } from './typed.ts';

export function editPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.formPage({
    url: `${APPLICATIONS}/:client_id/edit`,
    about: (request) => ownApplication(request, parts),
    begin(application, request) {
      const fields = settingsOf(application);
      const added = refusedCallback(request, application);
      return added === undefined ? fields : { ...fields, redirectUris: `${fields.redirectUris}\n${added}` };
    },
    read: (form, { type }): SettingsForm => ({ ...readSettings(form), type }),
    faults: ({ fields }) => settingsFaults(fields, config.production),
    // Where people are sent with a code is decided by nobody but the owner in person.
    proof: isMoved,
    async act(sent) {
      const { request, about, fields } = sent;
      const { clientId, name } = about;
      const settings = {
        ...fields,
        redirectUris: linesOf(fields.redirectUris),
        refreshGrace: secondsOf(fields.refreshGrace),
        homePage: fields.homePage || null,
        privacyPolicy: fields.privacyPolicy || null,
        termsOfService: fields.termsOfService || null,
      };
      const owner = ownerOf(request);
      const changed = await database.transaction((transaction) =>
        changeApplication(transaction, owner, clientId, settings, parts.now()),
      );
      if (!changed) throw notFound();
      const to = `${applicationAddress(clientId)}?done=changed`;
      return { to, notice: isMoved(sent) ? 'application_changed' : undefined, subject: name };
    },
    page: ({ request, about: application, fields }) => ({
      title: (messages) => messages.applications.edit.title(application.name),
      main(form) {
        const added = refusedCallback(request, application) !== undefined;
        const notice = added ? form.messages.applications.edit.added : undefined;
        return settingsView({ ...form, notice, application, fields, production: config.production });
      },
    }),
  });

  /** A callback URL that was refused, offered for adding: only on a host of the application, since anyone can plant one. */
  function refusedCallback(request: FastifyRequest, application: OwnApplication): string | undefined {
    const uri = queryOf(request).get('add');
    const { redirectUris, type } = application;
    if (uri === undefined || redirectUris.includes(uri)) return undefined;
    if (redirectUriFault(uri, type, config.production) !== undefined) return undefined;
    return leadsToKnownHost(uri, redirectUris) ? uri : undefined;
  }
}

/** Whether the callback URLs are others than before, or in another order. */
const isMoved = ({ about, fields }: Sent<OwnApplication, SettingsForm>): boolean =>
  linesOf(fields.redirectUris).join('\n') !== about.redirectUris.join('\n');

/** An application's settings as its form shows them. */
const settingsOf = (application: OwnApplication): SettingsForm => ({
  ...application,
  redirectUris: application.redirectUris.join('\n'),
  refreshGrace: String(application.refreshGrace),
  homePage: application.homePage ?? '',
  privacyPolicy: application.privacyPolicy ?? '',
  termsOfService: application.termsOfService ?? '',
});
