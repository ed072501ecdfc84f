// /console/apis/new and …/:api_id/edit: registers an API, and changes its settings.
import type { FastifyInstance } from 'fastify';
import { changeApi } from '../../../apis/changes.ts';
import { registerOwnApi } from '../../../apis/registration.ts';
import { type ApiFault, apiFaults, isAdmission, registrationFaults } from '../../../apis/settings-fields.ts';
import type { Parts } from '../../../http/parts.ts';
import { ADMISSIONS, type Admission } from '../../../oauth/api.ts';
import { spellingOf } from '../../../oauth/api-identifier.ts';
import { notFound } from '../../../oauth/errors.ts';
import { type Parameters, parseParameters } from '../../../oauth/parameters.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { oneUse } from '../../../web/csrf.ts';
import type { Fault } from '../../../web/faults.ts';
import {
  choiceField,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { APIS, apiAddress, way, wayToList } from '../frame-view.ts';
import { API_SECTION, ownApi, ownerOf, quotaReached } from '../sections.ts';

/** The fields as they were typed. */
type Typed = {
  name: string;
  identifier: string;
  wordsFr: string;
  wordsEn: string;
  admits: Admission | undefined;
  /** Seconds. */
  lifetime: string;
};

export function apiFormPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.formPage({
    url: `${APIS}/new`,
    about: () => undefined,
    verifiedEmail: true,
    begin: () => read(parseParameters('admits=own&token_lifetime=3600')),
    read,
    faults: ({ fields }) => inWords(registrationFaults(valuesOf(fields), config), fields.identifier),
    async act({ request, fields }) {
      const { admits = 'own', ...values } = valuesOf(fields);
      const [owner, form] = [ownerOf(request), oneUse(request, parts, fields.identifier)];
      const limit = config.registrationsPerAccount;
      const api = { ...values, admits };
      const registered = await registerOwnApi(database, owner, api, form, limit, parts.now());
      if (registered === 'tooMany') return quotaReached(API_SECTION, config);
      if (registered === 'taken')
        return { faults: inWords([{ field: 'identifier', fault: 'identifierTaken' }]) };
      return `${apiAddress(registered.apiId)}?done=created`;
    },
    page: ({ fields }) => ({
      title: (messages) => messages.apis.list.register,
      main: (form) => formView({ ...form, fields }),
    }),
  });

  area.formPage({
    url: `${APIS}/:api_id/edit`,
    about: (request) => ownApi(request, parts),
    begin: (api): Typed => ({ ...api, lifetime: String(api.tokenLifetime) }),
    read,
    faults: ({ fields }) => inWords(apiFaults(valuesOf(fields))),
    proof: ({ about, fields }) => admitsMore(fields, about),
    inTransaction: true,
    async act({ request, about, fields }, transaction) {
      const { admits = about.admits, ...values } = valuesOf(fields);
      const settings = { ...values, admits };
      if (!(await changeApi(transaction, ownerOf(request), about.apiId, settings, parts.now())))
        throw notFound();
      const notice = admitsMore(fields, about) ? ('api_changed' as const) : undefined;
      return { to: `${apiAddress(about.apiId)}?done=changed`, notice, subject: about.name };
    },
    page: ({ about: api, fields }) => ({
      title: (messages) => messages.apis.edit.title(api.name),
      main: (form) => formView({ ...form, api, fields }),
    }),
  });
}

/** `ADMISSIONS` is in the order of how many clients it admits. */
const admitsMore = ({ admits = 'own' }: Pick<Typed, 'admits'>, before: OwnApi): boolean =>
  ADMISSIONS.indexOf(admits) > ADMISSIONS.indexOf(before.admits);

function read(form: Parameters): Typed {
  const text = (name: string) => form.get(name) ?? '';
  const admits = text('admits');
  return {
    name: text('name'),
    identifier: text('identifier').trim(),
    wordsFr: text('words_fr'),
    wordsEn: text('words_en'),
    admits: isAdmission(admits) ? admits : undefined,
    lifetime: text('token_lifetime').trim(),
  };
}

/** What the fields mean; the lifetime is NaN if it isn't a whole number. */
const valuesOf = ({ lifetime, ...fields }: Typed) => ({
  ...fields,
  tokenLifetime: /^\d{1,6}$/.test(lifetime) ? Number(lifetime) : Number.NaN,
});

/** @param identifier as it was typed */
const inWords = (faults: readonly ApiFault[], identifier = ''): Fault[] =>
  faults.map(({ field, fault }) => ({
    field,
    text: ({ apis }) =>
      fault === 'identifierSpelling' ? `${apis.faults[fault]} ${spellingOf(identifier)}` : apis.faults[fault],
  }));

type View = FormState & {
  fields: Typed;
  /** Undefined at registration. */
  api?: OwnApi;
};

function formView({ api, fields, ...view }: View): Html {
  const { messages, errors } = view;
  const { list, edit, form: text, admitsChoices } = messages.apis;
  const isNew = api === undefined;
  const field = (name: string, label: string, hint: string, value: string) =>
    textField({ name, label, hint, value, errors });
  return html`${isNew ? wayToList(messages, 'api') : way(messages, api, 'edit')}
${formStatus(view)}
<h1>${isNew ? list.register : edit.title(api.name)}</h1>
${
  !isNew &&
  html`<dl class="facts facts--framed">
<div><dt>${text.identifier}</dt><dd><code>${api.identifier}</code></dd></div>
</dl>
<p class="quiet">${edit.fixed}</p>`
}
${form({
  action: isNew ? `${APIS}/new` : apiAddress(api.apiId, 'edit'),
  csrf: view.csrf,
  body: html`${textField({
    name: 'name',
    label: text.name,
    hint: text.nameHint,
    value: fields.name,
    autofocus: isNew && errors.length === 0,
    errors,
  })}
${
  isNew &&
  textField({
    name: 'identifier',
    label: text.identifier,
    hint: text.identifierHint,
    type: 'url',
    inputmode: 'url',
    value: fields.identifier,
    errors,
  })
}
${field('words_fr', text.wordsFr, text.wordsHint, fields.wordsFr)}
${field('words_en', text.wordsEn, text.wordsHint, fields.wordsEn)}
${choiceField({
  name: 'admits',
  kind: 'radio',
  legend: text.admits,
  choices: ADMISSIONS.map((value) => ({ value, ...admitsChoices[value], checked: fields.admits === value })),
  errors,
})}
${textField({
  name: 'token_lifetime',
  label: text.lifetime,
  hint: text.lifetimeHint,
  value: fields.lifetime,
  inputmode: 'numeric',
  errors,
})}
${!isNew && confirmationField(view, messages.apis.confirmHint)}
${submitButton({ text: isNew ? list.register : messages.applications.edit.action })}`,
})}`;
}
