// Reading an application's fields as they were typed, and saying what is wrong with them.

import { faultWords } from '../../applications/fault-words.ts';
import { logoutAddressFaults, type ProtocolFault } from '../../applications/protocol-fields.ts';
import { type ApplicationFault, applicationFaults, linkFaults } from '../../applications/settings-fields.ts';
import type { Messages } from '../../i18n/index.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { ClientType } from '../../oauth/redirect-uri.ts';
import type { Fault } from '../../web/faults.ts';
import type { SettingsForm } from './edit-view.ts';
import type { ApplicationForm, RegistrationForm } from './fields-view.ts';

/** The fields of an application; unknown ones are ignored. */
function readApplication(form: Parameters): ApplicationForm {
  const type = form.get('type');
  return {
    name: form.get('name') ?? '',
    redirectUris: form.get('redirect_uris') ?? '',
    scopes: form.all('scopes').flatMap((text) => text.split(/\s+/)),
    type: type === 'confidential' || type === 'public' ? type : undefined,
    standard: form.get('standard') === 'on',
  };
}

/** The fields of an application that is not there yet. */
export const readRegistration = (form: Parameters): RegistrationForm => ({
  ...readApplication(form),
  postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? '',
});

/** The fields of an application that is there already: its type is not one of them. */
export const readSettings = (form: Parameters): Omit<SettingsForm, 'type'> => {
  const { type: _, ...fields } = readApplication(form);
  return {
    ...fields,
    refreshGrace: form.get('refresh_grace') ?? '',
    homePage: form.get('home_page')?.trim() ?? '',
    privacyPolicy: form.get('privacy_policy')?.trim() ?? '',
    termsOfService: form.get('terms_of_service')?.trim() ?? '',
  };
};

/** The callback URLs of a text, one a line; empty lines are none. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Seconds; NaN for what is no whole number. */
export const secondsOf = (text: string): number =>
  /^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN;

/** What is wrong with the fields of registration (D3, D4). */
export function registrationFaults(fields: RegistrationForm, production: boolean): Fault[] {
  const { type } = fields;
  const presumed = type ?? 'confidential';
  const faults: Fault[] = [
    ...faultsIn({ ...fields, type: presumed, refreshGrace: 0 }, production),
    ...logoutAddressFaults(linesOf(fields.postLogoutRedirectUris), presumed, production).map(
      protocolFaultInWords(production),
    ),
  ];
  if (type === undefined)
    faults.push({ field: 'type', text: ({ applications }) => applications.problems.typeMissing });
  return faults.sort((one, other) => ASKED.indexOf(one.field) - ASKED.indexOf(other.field));
}

/** The fields of registration as its page asks for them: its faults are listed from the top of the page down. */
const ASKED: readonly (string | undefined)[] = [
  'name',
  'type',
  'redirect_uris',
  'post_logout_redirect_uris',
  'scopes',
];

/** What is wrong with the settings of an application (D3, D4, D16). */
export function settingsFaults(fields: SettingsForm, production: boolean): Fault[] {
  const type = fields.type ?? 'confidential';
  return [
    ...faultsIn({ ...fields, type, refreshGrace: secondsOf(fields.refreshGrace) }, production),
    ...inWords(linkFaults(fields, production), fields.redirectUris, production),
  ];
}

function faultsIn(
  fields: Omit<ApplicationForm, 'type'> & { type: ClientType; refreshGrace: number },
  production: boolean,
): Fault[] {
  const redirectUris = linesOf(fields.redirectUris);
  return inWords(applicationFaults({ ...fields, redirectUris }, production), fields.redirectUris, production);
}

/** @param typed the callback URLs as they were typed: a fault of one names its line */
const inWords = (faults: readonly ApplicationFault[], typed: string, production: boolean): Fault[] =>
  faults.map((fault) => {
    const words = (messages: Messages) => faultWords(messages, production)(fault);
    if (!('uri' in fault)) return { field: fault.field, text: words };
    const line = lineOf(fault.uri, typed);
    return {
      field: fault.field,
      text: (messages) => messages.applications.line(line, words(messages)),
      summary: (messages) => messages.applications.lineOfCallbacks(line, words(messages)),
    };
  });

export const protocolFaultInWords =
  (production: boolean) =>
  (fault: ProtocolFault): Fault => {
    const { field, entry } = fault;
    const words = (messages: Messages) => faultWords(messages, production)(fault);
    if (entry === undefined) return { field, text: words };
    return {
      field,
      text: (messages) => messages.protocol.line(entry, words(messages)),
      summary: (messages) => messages.protocol.lineOfSignOuts(entry, words(messages)),
    };
  };

/** Where a faulty callback URL stands, as editors count lines. */
const lineOf = (uri: string, text: string): number =>
  text.split('\n').findIndex((line) => line.trim() === uri) + 1;
