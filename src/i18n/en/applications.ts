// Owns the English texts of: applications.
import type { Messages } from '../fr.ts';

const several = (count: number, one: string, many: string): string => (count === 1 ? one : many);

export const applications: Messages['applications'] = {
  way: 'Path',
  list: {
    title: 'Your applications',
    lead: (service) =>
      `An application registered here can offer “Se connecter avec ${service}” (sign in with ${service}) to its users.`,
    register: 'Register an application',
    empty: 'You have no applications yet.',
    emptyAdvice:
      'All you need is a name and the URL that your users return to after signing in. Almost everything can be changed later.',
    full: (limit) =>
      `You have reached the limit of ${limit} applications per account. To register another one, delete one or ask the people who run this service.`,
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
  suspended:
    'The people who run this service have suspended this application: nobody can sign in to it. You can still edit it. To have the suspension lifted, contact them.',

  form: {
    name: 'Application name',
    nameHint: 'Your users see it when the application asks for their permission.',
    redirectUris: 'Callback URLs',
    redirectUrisHint:
      'One per line, up to 20, compared character by character. https:// (http:// only in development mode); without a server also http://127.0.0.1, on any port, or a scheme with a dot in it.',
    scopes: 'Scopes: what the application may ask for',
    scopesHint: 'People see this list, then allow or deny. Ask for as little as possible.',
    scopeHints: {
      openid: 'Recognise people by a stable identifier (sub). Nearly always needed.',
      profile:
        'Their name, their picture and the date their profile last changed. Without this scope, the profile cannot be read.',
      email: 'Their email address, and whether it is verified.',
      phone: 'Their phone number, if they have given one.',
    },
    typeLegend: 'What type of application is it?',
    typeHints: {
      confidential: 'A server keeps the Client Secret where your users cannot reach it.',
      public:
        'A web page without a server, or a mobile or desktop application: nothing stays secret there. No Client Secret; PKCE is required.',
    },
    standardLegend: 'What code will you use?',
    standardHint: 'This decides the names and types of the profile fields. You can change it at any time.',
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
    refreshGrace: 'Grace period for renewals, in seconds',
    refreshGraceHint:
      'From 0 to 60. During this period, a refresh token that has just been replaced still gives the same successor: useful if responses get lost or two processes renew at the same time. After that, reusing it revokes the access.',
    presentation: 'Links shown on the consent page',
    homePage: 'Home page',
    privacyPolicy: 'Privacy policy',
    termsOfService: 'Terms of service',
    confirmCallbacksHint:
      'You signed in more than 15 minutes ago. The password is needed only if you change the callback URLs.',
  },

  created: {
    done: (name) => `${name} is registered.`,
    title: (name) => `New secret for ${name}`,
    once: 'Copy the Client Secret now: you will not be able to see it later.',
    keep: 'Keep the secret on your server, in an environment variable. Do not put it in code, in a page or in a repository.',
    identifier: 'Client ID',
    secret: 'Client Secret',
    recognised: 'You can recognise it by its last four characters:',
    gone: 'This secret was shown once, when it was created. It cannot be shown again.',
    lost: 'Not copied? Create another one: this one can keep working for up to seven days.',
    integrate: 'Add the button and the code',
    another: 'Create another secret',
  },

  tasks: {
    title: 'To do',
    nothing: 'All is well: there is nothing to do.',
    noSecret: 'No secret is active: nobody can sign in.',
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
    refreshGrace: 'Grace period for renewals',
    seconds: (count) => several(count, `${count} second`, `${count} seconds`),
    people: 'People signed in',
    mode: 'Mode',
    modes: { on: 'standard (OpenID Connect)', off: 'native (this service’s names)' },
    unverifiedHint:
      'The consent page tells your users so. The people who run this service can verify an application.',
    state: 'Status',
    edit: 'Edit',
    changeLogo: 'Change logo',
    integrate: 'Integrate',
    diagnostics: 'Diagnostics',
    secrets: 'Secrets',
    delete: 'Delete application',
    done: {
      changed: 'Your changes have been saved and apply from now on.',
      logo: 'The logo has been saved.',
      'logo-removed': 'The logo has been removed.',
      offered:
        'Your offer has been saved. If an account uses this address, the offer appears among its applications; if the address is verified, we email them about it.',
      accepted: 'This application is now yours. Create your own secret, and register your own keys and URLs.',
    },
  },

  edit: {
    title: (name) => `Edit ${name}`,
    action: 'Save',
    fixed: 'The type cannot be changed after registration.',
    verified:
      'This application is verified. If you change its name, logo or callback URLs, it will have to be verified again.',
  },

  secrets: {
    title: (name) => `Secrets for ${name}`,
    lead: 'A secret is shown only once, when it is created. We then keep its fingerprint and its last four characters, so that you can tell which one is deployed where.',
    live: 'Active secrets',
    none: 'No secret is active, so the application cannot obtain tokens. Create a new secret below.',
    number: (number) => `Secret no. ${number}`,
    named: (number) => `secret no. ${number}`,
    created: 'Created on',
    ends: 'Expires',
    endsNever: 'never',
    endsWith: 'Ends in',
    used: 'Last used',
    never: 'never',
    end: 'Revoke',
    rotate: 'Create a new secret',
    rotateHint:
      'Deploy the new one to your servers while the previous one still works. At most two secrets are active at a time: any other is revoked immediately.',
    overlap: 'The latest secret keeps working',
    overlaps: {
      '0': 'not at all',
      '3600': 'for one hour',
      '86400': 'for one day',
      '259200': 'for three days',
      '604800': 'for seven days',
    },
    rotateAction: 'Create secret',
    done: {
      ended: 'The secret you chose has been revoked: it is refused from now on.',
    },
    endTitle: (number) => `Revoke secret no. ${number}?`,
    endText: 'Every request that uses it will be refused immediately.',
    endLast:
      'No other secret lasts. Create another one first, or the application can no longer sign anyone in or renew any access.',
    endAction: 'Revoke this secret',
  },

  logo: {
    title: (name) => `Logo for ${name}`,
    lead: 'Your users see it on the consent page, as a 256-pixel square.',
    file: 'File',
    fileHint: 'PNG, JPEG or WebP, up to 2 MB. The picture is cropped to a square around its centre.',
    remove: 'Remove logo',
  },

  faults: {
    nameMissing: 'Enter a name for the application.',
    nameTooLong: 'The name must be 100 characters or fewer.',
    callbackMissing: 'Enter at least one callback URL.',
    tooManyCallbacks: 'Enter at most 20 callback URLs.',
    uriTooLong: 'it is longer than 2,000 characters.',
    uriCharacters: 'it contains a space, a control character or a non-ASCII character.',
    uriWildcard: 'it contains a backslash or an asterisk.',
    uriFragment: 'it contains a fragment (#).',
    uriNotAbsolute: 'it is not a full URL, such as https://example.com/callback.',
    uriUserInfo: 'it contains a username or a password.',
    uriOwnParameter: 'it already contains code, state, iss or error, which the response adds itself.',
    uriNotHttps: 'it must start with https:// (http:// only in development mode).',
    uriScheme:
      'it must start with https://, http:// on the loopback address, or a scheme with a dot such as com.example.app:/',
    scopesMissing: 'Choose at least one scope.',
    scopeUnknown: 'One of the chosen scopes does not exist.',
    graceOutOfRange: 'Enter a whole number from 0 to 60.',
    linkInvalid: 'Enter a full URL that starts with https:// (http:// only in development mode).',
    tooMany: 'There are too many: at most 20 entries, or 5 keys.',
    backchannelInvalid: 'Enter a full https URL, without a fragment.',
    keysUnreadable: 'This is not a JWK Set: paste the public keys as JSON, in a list named keys.',
    keyPrivate:
      'One of these keys is private, and has not been saved. Paste the public key instead, and replace this key pair.',
    keyUnfit:
      'One of these keys is not suitable: use RSA of at least 2048 bits, P-256 or Ed25519, with the matching algorithm.',
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
