// /console/apis/new: registering an API.
import type { FastifyInstance } from 'fastify';
import { registerOwnApi } from '../../../apis/registration.ts';
import { registrationFaults } from '../../../apis/settings-fields.ts';
import type { Parts } from '../../../http/parts.ts';
import { oneUse } from '../../../web/csrf.ts';
import { APIS, apiAddress } from '../frame-view.ts';
import { API_SECTION, ownerOf, quotaReached } from '../sections.ts';
import { registerView } from './register-view.ts';
import { type ApiRegistration, faultsInWords, fieldsOf, readApiRegistration } from './typed.ts';

/** What a new API's form begins with: it is open to nobody else until its owner says so. */
const BLANK: ApiRegistration = {
  name: '',
  identifier: '',
  wordsFr: '',
  wordsEn: '',
  admits: 'own',
  lifetime: '3600',
  seconds: '',
};

export function registerApiPage(area: FastifyInstance, parts: Parts): void {
  const { config } = parts;

  area.formPage({
    url: `${APIS}/new`,
    about: () => undefined,
    verifiedEmail: true,
    begin: () => BLANK,
    read: readApiRegistration,
    faults: ({ fields: { identifier, ...fields } }) =>
      faultsInWords(registrationFaults({ ...fieldsOf(fields), identifier }, config), config, identifier),
    async act({ request, fields: { identifier, admits = 'own', ...fields } }) {
      const api = { ...fieldsOf({ ...fields, admits }), identifier, admits };
      const [owner, form] = [ownerOf(request), oneUse(request, parts)];
      const registered = await registerOwnApi(
        parts.database,
        owner,
        api,
        form,
        config.registrationsPerAccount,
        parts.now(),
      );
      if (registered === 'tooMany') return quotaReached(API_SECTION, config);
      if (registered === 'taken')
        return { faults: faultsInWords([{ field: 'identifier', fault: 'identifierTaken' }], config) };
      return `${apiAddress(registered.apiId)}?done=created`;
    },
    page: ({ fields }) => ({
      title: (messages) => messages.apis.create.title,
      main: (form) => registerView({ ...form, fields, production: config.production }),
    }),
  });
}
