// English: console pages about applications.
import type { Messages } from '../fr.ts';

const several = (count: number, one: string, many: string): string => (count === 1 ? one : many);

export const applications: Messages['applications'] = {
  breadcrumb: 'Breadcrumb',
  list: {
    title: 'Your applications',
    lead: (service) => `Register an application so that its users can sign in with ${service}.`,
    register: 'Register an application',
    empty: 'You have no applications yet.',
    emptyAdvice: 'You need a name and a callback URL. You can change most settings later.',
    full: (limit) =>
      `You have reached the limit of ${limit} applications per account. To register another one, delete one or contact your administrator.`,
    identifier: 'Client ID',
    created: 'Registered on',
  },
  type: 'Type',
  types: {
    confidential: 'Web application with a server',
    public: 'Browser or mobile application',
  },
  states: {
    suspended: 'suspended',
    verified: 'verified',
    unverified: 'not verified',
  },
  suspended: 'Suspended: nobody can sign in. Contact your administrator.',

  form: {
    name: 'Application name',
    nameHint: 'Shown to your users on the consent page.',
    redirectUris: 'Callback URLs',
    redirectUrisHint:
      'One per line, up to 20, exact match. Use https:// (http:// only in development mode). Browser and mobile applications can also use http://127.0.0.1 on any port, or a custom scheme that contains a dot.',
    scopes: 'Scopes the application can request',
    scopesHint: 'People see this list on the consent page. Request only what you need.',
    scopeHints: {
      openid: 'Recognize people by a stable identifier (sub). Nearly always needed.',
      profile: 'Their name, their picture and when their profile last changed.',
      email: 'Their email address, and whether it is verified.',
      phone: 'Their phone number, if they have added one.',
    },
    typeLegend: 'What type of application is it?',
    typeHints: {
      confidential: 'The Client Secret stays on a server, out of your users’ reach.',
      public: 'Cannot keep a secret: no Client Secret, and PKCE is required.',
    },
    standardLegend: 'What code will you use?',
    standardHint: 'Sets the names and types of the profile fields. You can change it at any time.',
    standardChoices: {
      off: {
        label: 'Code written for this service',
        hint: 'Native mode: avatar, phone, updated_at as ISO 8601 text.',
      },
      on: {
        label: 'An OpenID Connect library',
        hint: 'Standard mode: picture, phone_number, updated_at in seconds.',
      },
    },
    refreshGrace: 'Refresh grace period, in seconds',
    refreshGraceHint:
      'From 0 to 60. During this time, a replaced refresh token can still be exchanged for its successor.',
    presentation: 'Links shown on the consent page',
    homePage: 'Home page',
    privacyPolicy: 'Privacy policy',
    termsOfService: 'Terms of service',
    confirmCallbacksHint: 'Required only if you change the callback URLs.',
  },

  created: {
    done: (name) => `${name} is registered.`,
    title: (name) => `New secret for ${name}`,
    once: 'Copy the Client Secret now: you will not be able to see it later.',
    keep: 'Store the secret on your server, in an environment variable. Never put it in source code, a web page or a repository.',
    identifier: 'Client ID',
    secret: 'Client Secret',
    recognized: 'Last four characters:',
    gone: 'This secret was shown when it was created and cannot be shown again.',
    lost: 'If you did not copy it, create another one. The current one can stay active for up to seven days.',
    integrate: 'Add the button and code',
    another: 'Create another secret',
  },

  tasks: {
    title: 'To do',
    nothing: 'Nothing to do.',
    noSecret: 'No active secret: nobody can sign in.',
    newSecret: 'Create a secret',
    lastSecretEnds: 'The last secret expires on',
    refused: (count) =>
      count === 1
        ? 'One request was refused in the last seven days.'
        : `${count} requests were refused in the last seven days.`,
    seeRefused: 'See why',
    nobodyYet: 'Nobody has signed in yet.',
    integrate: 'Integrate',
  },
  detail: {
    verification: 'Verification',
    neverUsed: 'never used',
    noSecrets: 'none active',
    lastUsed: 'used',
    endsOn: 'expires on',
    see: 'View',
    settings: 'Settings',
    none: 'none',
    scopes: 'Scopes',
    refreshGrace: 'Refresh grace period',
    seconds: (count) => several(count, `${count} second`, `${count} seconds`),
    people: 'Users',
    mode: 'Mode',
    modes: { on: 'standard (OpenID Connect)', off: 'native (field names of this service)' },
    unverifiedHint: 'The consent page shows this to your users.',
    state: 'Status',
    edit: 'Edit',
    changeLogo: 'Change logo',
    integrate: 'Integrate',
    diagnostics: 'Diagnostics',
    secrets: 'Secrets',
    delete: 'Delete application',
    done: {
      changed: 'Your changes have been saved.',
      logo: 'The logo has been saved.',
      'logo-removed': 'The logo has been removed.',
      offered:
        'Your offer has been saved. If an account uses this address, the offer appears among its applications; if the address is verified, we also send an email.',
      accepted: 'This application is now yours. Create a new secret and register your own keys and URLs.',
    },
  },

  edit: {
    title: (name) => `Edit ${name}`,
    action: 'Save',
    fixed: 'The type cannot be changed after registration.',
    verified: 'A change to the name, logo or callback URLs removes the verification.',
  },

  secrets: {
    title: (name) => `Secrets for ${name}`,
    lead: 'A secret is shown only once, when it is created. We keep only its hash and last four characters, so that you can tell your secrets apart.',
    live: 'Active secrets',
    none: 'No active secret, so the application cannot get tokens. Create a secret below.',
    number: (number) => `Secret no. ${number}`,
    named: (number) => `secret no. ${number}`,
    created: 'Created on',
    ends: 'Expires',
    endsNever: 'never',
    endsWith: 'Last four characters',
    used: 'Last used',
    never: 'never',
    end: 'Revoke',
    rotate: 'Create a new secret',
    rotateHint: 'Only two secrets can be active. Any older secrets are revoked immediately.',
    overlap: 'Keep the current secret active',
    overlaps: {
      '0': 'no, revoke it immediately',
      '3600': 'for one hour',
      '86400': 'for one day',
      '259200': 'for three days',
      '604800': 'for seven days',
    },
    rotateAction: 'Create secret',
    done: {
      ended: 'The secret has been revoked.',
    },
    endTitle: (number) => `Revoke secret no. ${number}?`,
    endText: 'Requests that use this secret will be refused immediately.',
    endLast: 'No other secret remains active: nobody will be able to sign in to the application.',
    endAction: 'Revoke this secret',
  },

  logo: {
    title: (name) => `Logo for ${name}`,
    lead: 'Shown to your users on the consent page, as a 256-pixel square.',
    file: 'File',
    fileHint: 'PNG, JPEG or WebP, up to 2 MB. The picture is cropped to a square around its center.',
    remove: 'Remove logo',
  },

  errors: {
    nameMissing: 'Enter a name for the application.',
    nameTooLong: 'The name must be 100 characters or fewer.',
    redirectUriMissing: 'Enter at least one callback URL.',
    tooManyRedirectUris: 'Enter at most 20 callback URLs.',
    uriTooLong: 'it is longer than 2,000 characters.',
    uriCharacters: 'it contains a space, a control character or a non-ASCII character.',
    uriWildcard: 'it contains a backslash or an asterisk.',
    uriFragment: 'it contains a fragment (#).',
    uriNotAbsolute: 'it is not a full URL, such as https://example.com/callback.',
    uriUserInfo: 'it contains a username or a password.',
    uriReservedParameter: 'it contains code, state, iss or error, which are reserved for the response.',
    uriNotHttps: 'it must start with https:// (http:// only in development mode).',
    uriScheme:
      'it must start with https://, http:// on the loopback address, or a scheme with a dot such as com.example.app:/',
    scopesMissing: 'Choose at least one scope.',
    scopeUnknown: 'One of the chosen scopes does not exist.',
    graceOutOfRange: 'Enter a whole number from 0 to 60.',
    linkInvalid: 'Enter a full URL that starts with https:// (http:// only in development mode).',
    tooMany: 'Too many values: at most 20 entries, or 5 keys.',
    backchannelInvalid: 'Enter a full https URL, without a fragment.',
    keysUnreadable: 'This is not a JWK Set. Paste a JSON object with the public keys in an array named keys.',
    keyPrivate:
      'One of these keys is private. Paste only public keys, and replace this key pair, because its private key has been exposed.',
    keyUnfit: 'One of these keys is not supported. Use RSA (2048 bits or more), P-256 or Ed25519.',
  },
  line: (number, error) => `Line ${number}: ${error}`,
  problems: {
    typeMissing: 'Choose the type of the application.',
    fileMissing: 'Choose a file.',
    fileUnreadable: 'We cannot read this picture. Choose a PNG, JPEG or WebP file without animation.',
    emailInvalid: 'Enter a full email address.',
    overlapInvalid: 'Choose one of the options.',
  },
};
