// Owns the English texts of: access to APIs on an application's own account, asked for, granted and ended.
import type { Messages } from '../fr.ts';

export const serviceAccess: Messages['serviceAccess'] = {
  waiting: 'waiting',
  askedOn: 'Requested on',
  grantedOn: 'Granted on',
  client: {
    part: 'APIs',
    title: (application) => `APIs of ${application}`,
    lead: 'An application can use an API on its own behalf, with nobody signed in (client_credentials), if the API’s owner grants it. Either of you can revoke it at any time.',
    none: 'This application cannot use any API on its own behalf.',
    ask: 'Request access',
    identifierHint: 'The URL that the API’s documentation gives, character by character.',
    scopesHint: 'Separated by spaces.',
    action: 'Request',
    end: 'Revoke access',
    cancel: 'Cancel the request',
    done: {
      asked: 'Requested. The API’s owner will find it in their console.',
      granted: 'Access granted: this API is yours.',
      ended: 'Done: this application no longer has access to that API on its own behalf.',
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
    lead: 'An application can request to use your API on its own behalf, with nobody signed in (client_credentials). It is given nothing until you have answered.',
    none: 'No requests yet.',
    noneAdvice: 'Requests are made in the console, on an application’s “APIs” page. They will appear here.',
    owner: 'Requested by the account',
    answer: 'Answer',
    end: 'Revoke access',
    decideTitle: (application) => `Grant ${application} access?`,
    decideText: 'The application will act on its own behalf, without asking anyone’s permission.',
    choose: 'Scopes to grant',
    grant: 'Grant',
    refuse: 'Refuse',
    later: 'Later',
    nothingChosen: 'Tick at least one scope, or refuse.',
    changed: 'The request has changed in the meantime. Check it, then answer again.',
    done: {
      granted: 'Access granted.',
      ended: 'Done: this application no longer has access on its own behalf.',
    },
  },
  ending: {
    title: (application, api) => `Revoke ${application}’s access to ${api}?`,
    text: 'The tokens that the application got on its own behalf will be revoked immediately. What people have allowed it will not change.',
  },
};
