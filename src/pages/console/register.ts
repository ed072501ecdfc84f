// /console/applications/new: registering an application.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { registerOwnApplication } from '../../applications/registration.ts';
import type { Parts } from '../../http/parts.ts';
import { REFRESH_GRACE } from '../../oauth/lifetimes.ts';
import { newFormValue, oneUseForm } from '../../web/one-use-form.ts';
import type { RegistrationForm } from './fields-view.ts';
import { APPLICATIONS, applicationAddress } from './frame-view.ts';
import { registerView } from './register-view.ts';
import { APPLICATION_SECTION, ownerOf, quotaReached } from './sections.ts';
import { letShow } from './shown-secret.ts';
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
      const [owner, form] = [ownerOf(request), oneUseForm(request, parts)];
      const registered = await registerOwnApplication(parts, owner, application, form, limit, parts.now());
      if (registered.outcome === 'tooMany') return quotaReached(APPLICATION_SECTION, config);
      const { clientId, secret, outcome } = registered;
      if (type === 'public') return `${applicationAddress(clientId, 'integrate')}?done=registered`;
      if (secret === undefined) return applicationAddress(clientId);
      letShow(reply, clientId, secret, form);
      const to = applicationAddress(clientId, `secrets/${secret}`);
      const notice = outcome === 'registered' ? 'secret_created' : undefined;
      return { to, notice, subject: cleanName(fields.name) };
    },
    page: ({ fields }) => ({
      title: (messages) => messages.applications.create.title,
      main: (form) =>
        registerView({ ...form, formValue: newFormValue(), fields, production: config.production }),
    }),
  });
}
