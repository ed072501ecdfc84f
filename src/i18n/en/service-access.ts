// Owns the English texts of: access to APIs on an application's own account, asked for, granted and ended.
import type { Messages } from '../fr.ts';

export const serviceAccess: Messages['serviceAccess'] = {
  waiting: 'waiting',
  granted: 'granted',
  askedOn: 'Requested on',
  grantedOn: 'Granted on',
  scopes: 'Scopes',
  client: {
    part: 'APIs',
    title: (application) => `APIs of ${application}`,
    lead: 'An application may use an API on its own account, without a person (client_credentials), where the API’s owner grants it that. Either of you can end it at any time.',
    none: 'This application has access to no API on its own account.',
    ask: 'Request access',
    identifier: 'API identifier',
    identifierHint: 'The address that the API’s documentation gives, letter by letter.',
    scopesHint: 'Separated by spaces.',
    action: 'Request',
    end: 'End access',
    cancel: 'Take the request back',
    done: {
      asked: 'Requested. The API’s owner will find it in their console.',
      granted: 'Access granted: this API is yours.',
      ended: 'Done: this application no longer has access to that API on its own account.',
    },
    faults: {
      identifierMissing: 'Enter the API identifier.',
      scopesMissing: 'Enter at least one scope.',
      unknown: 'No API that is open to this application has this identifier.',
      scopeUnknown: 'The API does not have all of these scopes.',
      exists:
        'This application has access to that API already, or has requested it: end that before you request another.',
      full: 'Too many requests wait for the answer of that API’s owner already.',
      tooOften: 'You’ve made many requests within the hour. Wait a while, then try again.',
    },
  },
  api: {
    part: 'Requests',
    title: (api) => `Requests for access to ${api}`,
    lead: 'Applications request access on their own account, without a person (client_credentials). They are given nothing until you have answered.',
    none: 'No requests yet.',
    owner: 'Requested by the account',
    answer: 'Answer',
    end: 'End access',
    decideTitle: (application) => `Grant ${application} access?`,
    decideText: 'The application will act on its own account, without a person allowing it.',
    choose: 'Scopes to grant',
    grant: 'Grant',
    refuse: 'Refuse',
    later: 'Later',
    nothingChosen: 'Tick at least one scope, or refuse.',
    changed: 'The request has changed in the meantime. Check it, then answer again.',
    done: {
      granted: 'Access granted.',
      ended: 'Done: this application no longer has access on its own account.',
    },
  },
  ending: {
    title: (application, api) => `End the access of ${application} to ${api}?`,
    text: 'Its tokens on its own account are worth nothing from now on. What people have allowed it does not change.',
    keep: 'Change nothing',
  },
};
