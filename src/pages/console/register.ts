// /console/applications/new: registering an application.
import type { FastifyInstance } from 'fastify';
import { registerOwnApplication } from '../../applications/registration.ts';
import type { Parts } from '../../http/parts.ts';
import { REFRESH_GRACE } from '../../oauth/lifetimes.ts';
import { oneUse } from '../../web/csrf.ts';
import { writeFlash } from '../../web/flash.ts';
import type { RegistrationForm } from './fields-view.ts';
import { APPLICATIONS, applicationAddress } from './frame-view.ts';
import { registerView } from './register-view.ts';
import { APPLICATION_SECTION, ownerOf, quotaReached } from './sections.ts';
import { linesOf, readRegistration, registrationFaults } from './typed.ts';

/** What a new application's form begins with (D35). */
const BLANK: RegistrationForm = {
  name: '',
  redirectUris: '',
  postLogoutRedirectUris: '',
  scopes: ['openid', 'profile', 'email'],
  type: 'confidential',
  standard: false,
};

export function registerPage(area: FastifyInstance, parts: Parts): void {
  const { config } = parts;

  area.formPage({
    url: `${APPLICATIONS}/new`,
    about: () => undefined,
    verifiedEmail: true,
    begin: () => BLANK,
    read: readRegistration,
    faults: ({ fields }) => registrationFaults(fields, config.production),
    async act({ request, reply, fields: { type = 'confidential', ...fields } }) {
      const limit = config.registrationsPerAccount;
      const application = {
        ...fields,
        type,
        redirectUris: linesOf(fields.redirectUris),
        postLogoutRedirectUris: linesOf(fields.postLogoutRedirectUris),
        refreshGrace: REFRESH_GRACE,
      };
      const [owner, form] = [ownerOf(request), oneUse(request, parts)];
      const registered = await registerOwnApplication(parts, owner, application, form, limit, parts.now());
      if (registered === 'tooMany') return quotaReached(APPLICATION_SECTION, config);
      const { clientId, clientSecret: secret } = registered;
      if (type === 'public') return `${applicationAddress(clientId, 'integrate')}?done=registered`;
      const to = applicationAddress(clientId, 'secrets/1');
      if (secret !== undefined) writeFlash(reply, parts, to, { secret });
      return to;
    },
    page: ({ fields }) => ({
      title: (messages) => messages.applications.create.title,
      main: (form) => registerView({ ...form, fields, production: config.production }),
    }),
  });
}
